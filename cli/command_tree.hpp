/// \file
/// The commands and options of `omen` as the parser has them: the source of help, man pages and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace omen::cli {

/// The commands that `--help` lists, sorted by name. `any` is any of the commands, or the root.
std::vector<const CLI::App*> visible_commands(CLI::App& any);

/// The root, from any of its commands.
const CLI::App& whole_of(const CLI::App& any);

struct OptionWords {
  std::vector<std::string> names;  ///< with dashes; none for an argument
  std::string value;               ///< the placeholder of its value; empty: it takes none
  std::string help;
};

/// Options first, then arguments, in the order of `--help`.
std::vector<OptionWords> option_words(const CLI::App& command);

}  // namespace omen::cli
