/// \file
/// The text of `--help` on a terminal: lines end where its columns do, and go on below the column where their text
/// began. Elsewhere they are as long as they are. Beside an option stands what it takes; not what it excludes, which a
/// message says when it matters.
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
  std::size_t columns_;  ///< 0: no terminal
};

/// A line `  NAME   TEXT …` whose rest stands below TEXT; any other line, whose rest is indented as it is.
std::string folded_line(std::string_view line, std::size_t columns);

}  // namespace omen::cli
