/// \file
/// The style of report texts, from the command line, `OMEN_OPTIONS` and the destination.
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

/// Adds `--color`, `--explain`, `--full-stacks`.
void add_text_options(CLI::App& app, TextArguments& arguments);

/// The width of the stream's terminal; 0: it is no terminal, or the width is unknown.
std::size_t terminal_columns(std::FILE* out);

/// The style for text to `out`, a stream of this process; null: a file. Shows paths below the current folder relative
/// to it.
report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options, std::FILE* out);

/// The style for text to the destination of `log_path`.
report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options);

}  // namespace omen::cli
