/// \file
/// The layout of `--help`: on a terminal, lines are folded at its width and continue below the start of their text.
/// Elsewhere they are not folded. An option is listed with its value, but without the options that it excludes, which
/// the error message names.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace omen::cli {

class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t columns) : columns_(columns) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  std::size_t columns_;  ///< the terminal's width; 0: no terminal
};

/// Folds a line `  NAME   TEXT …`, whose continuation is below TEXT, or any other line, which keeps its indentation.
std::string folded_line(std::string_view line, std::size_t columns);

}  // namespace omen::cli
