#include "cli/help_format.hpp"

#include <algorithm>

namespace omen::cli {
namespace {

/// The narrowest column of text; a narrower one is not easier to read.
constexpr std::size_t kLeastText = 24;

/// The column at which the text of a line begins: after the name and at least two blanks, or after the indentation.
std::size_t text_column(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = begin == 0 ? std::string_view::npos : line.find("  ", begin);
  if (gap == std::string_view::npos) return begin;
  return std::min(line.find_first_not_of(' ', gap), line.size());
}

}  // namespace

std::string folded_line(std::string_view line, std::size_t columns) {
  if (line.size() <= columns) return std::string(line);
  const std::size_t begin = text_column(line);
  const std::size_t indent = begin + kLeastText <= columns ? begin : std::min(line.find_first_not_of(' '), line.size());
  std::string out(line.substr(0, begin));
  std::size_t column = begin;
  for (std::string_view text = line.substr(begin); !text.empty();) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column > indent && column + 1 + word.size() > columns) {
      out += "\n";
      out.append(indent, ' ');
      column = indent;
    } else if (column != begin) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return out;
}

/// `--online[=A]`, where CLI11 writes `--online{st-dc}`.
std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string name = CLI::Formatter::make_option_name(option, is_positional);
  const std::size_t begin = name.find('{');
  if (begin == std::string::npos) return name;
  const std::string value = option->get_type_name();
  return name.replace(begin, name.find('}', begin) + 1 - begin, "[=" + (value.empty() ? "N" : value) + "]");
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const bool is_in_name = option->get_type_size() != 0 && make_option_name(option, false).contains("[=");
  if (option->get_type_size() == 0 || is_in_name) return {};
  std::string text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
  if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " REQUIRED";
  return text;
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::string whole = CLI::Formatter::make_help(app, std::move(name), mode);
  if (columns_ == 0) return whole;
  std::string out;
  for (std::string_view rest = whole; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += folded_line(rest.substr(0, end), columns_) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace omen::cli
