/// \file
/// The commands and options of `omen` as the parser knows them: the one source of help, man pages and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace omen::cli {

/// The commands that `--help` lists, by name. `any` is one of them, or the whole.
std::vector<const CLI::App*> visible_commands(CLI::App& any);

/// The whole, from any of its commands.
const CLI::App& whole_of(const CLI::App& any);

struct OptionWords {
  std::vector<std::string> names;  ///< with their dashes; none for an argument
  std::string value;               ///< what follows it; empty: nothing does
  std::string help;
};

/// Options first, then arguments, as they are shown.
std::vector<OptionWords> option_words(const CLI::App& command);

}  // namespace omen::cli
