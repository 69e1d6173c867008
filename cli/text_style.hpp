/// \file
/// How the text of reports looks, as the command line, `OMEN_OPTIONS` and the place where it goes say.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <string>

#include "report/options.hpp"
#include "report/text_style.hpp"

namespace omen::cli {

struct TextArguments {
  std::string color;  ///< empty: as the options say
  bool explain = false;
  bool full_stacks = false;
};

/// `--color`, `--explain`, `--full-stacks`.
void add_text_options(CLI::App& app, TextArguments& arguments);

/// Of the terminal that the stream goes to; 0: it goes to none, or the terminal does not say.
std::size_t terminal_columns(std::FILE* out);

/// For text that goes to `out`, a stream of this process; null: a file. Paths below the current folder are relative to
/// it.
report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options, std::FILE* out);

/// For text that goes where `log_path` says.
report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options);

}  // namespace omen::cli
