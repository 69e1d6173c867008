#include "report/hyperlinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace omen::report {
namespace {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <std::size_t N>
bool begins_with_one(std::string_view text, const std::array<std::string_view, N>& starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

LinkForm link_form(const std::function<const char*(const char*)>& variable) {
  const auto value = [&](const char* name) -> std::string_view {
    const char* const text = variable(name);
    return text == nullptr ? std::string_view() : text;
  };
  const std::string_view terminal = value("TERM");
  const std::string_view forced = value("FORCE_HYPERLINK");
  if (terminal.empty() || terminal == "dumb" || forced == "0") return LinkForm::None;
  if (terminal == "xterm-kitty") return LinkForm::FileAndLine;
  if (!forced.empty()) return LinkForm::File;
  // These run between omen and the terminal. Older versions drop the text of the sequence, or print the sequence.
  if (!value("TMUX").empty() || begins_with_one<2>(terminal, {"screen", "tmux"})) return LinkForm::None;
  // VS Code itself recognises FILE:LINE:COLUMN and goes to the line, which a link does not.
  const std::string_view program = value("TERM_PROGRAM");
  if (program == "vscode") return LinkForm::None;
  constexpr std::array<std::string_view, 3> kPrograms{"iTerm.app", "WezTerm", "ghostty"};
  constexpr std::array<std::string_view, 5> kTerminals{"alacritty", "foot", "contour", "xterm-ghostty", "wezterm"};
  constexpr std::uint32_t kVte = 5000;         // 0.50.0 crashes on some links
  constexpr std::uint32_t kKonsole = 201'200;  // 20.12
  const bool has_links = std::ranges::find(kPrograms, program) != kPrograms.end() ||
                         begins_with_one(terminal, kTerminals) || number(value("VTE_VERSION")) > kVte ||
                         number(value("KONSOLE_VERSION")) >= kKonsole || !value("WT_SESSION").empty();
  return has_links ? LinkForm::File : LinkForm::None;
}

std::string linked(const Hyperlinks& links, std::string_view path, std::uint32_t line, const std::string& shown) {
  if (links.form == LinkForm::None || !path.starts_with('/')) return shown;
  std::string target = fmt::format("file://{}{}", percent_encoded(links.host), percent_encoded(path));
  if (links.form == LinkForm::FileAndLine && line != 0) target += fmt::format("#{}", line);
  return fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", target, shown);
}

}  // namespace omen::report
