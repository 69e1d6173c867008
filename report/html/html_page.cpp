#include "report/html/html_page.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "embedded/page_html.hpp"
#include "embedded/page_script.hpp"
#include "embedded/page_style.hpp"
#include "trace/quote.hpp"

namespace omen::report {

std::string policy_hash(std::string_view digits) {
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "sha256-";
  std::uint32_t bits = 0;
  int count = 0;
  const auto give = [&] {
    count -= 6;
    out += kBase64[(bits >> count) & 63U];
  };
  for (const char digit : digits) {
    bits = bits << 4 | static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    count += 4;
    if (count >= 6) give();
  }
  if (count > 0) {
    bits <<= 6 - count;
    count = 6;
    give();
  }
  while ((out.size() - 7) % 4 != 0) out += '=';
  return out;
}

std::string filled(std::string_view text, std::span<const std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find("{{");
    if (begin == std::string_view::npos) return out.append(text);
    const std::size_t end = text.find("}}", begin);
    OMEN_CHECK(end != std::string_view::npos);
    out.append(text.substr(0, begin));
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const auto value = std::ranges::find(values, name, [](const auto& pair) { return pair.first; });
    OMEN_CHECK(value != values.end());
    out.append(value->second);
    text.remove_prefix(end + 2);
  }
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string as_html(const RunReport& report, const PageStyle& style) {
  const std::string program = report.command.empty() ? "omen" : on_one_line(report.command.front());
  const std::array<std::pair<std::string_view, std::string>, 6> values{{
      {"title", html_escaped(base_name(program))},
      {"script-hash", policy_hash(embedded::page_script_sha256)},
      {"style-hash", policy_hash(embedded::page_style_sha256)},
      {"style", std::string(embedded::page_style)},
      {"data", script_json(page_data(report, style))},
      {"script", std::string(embedded::page_script)},
  }};
  return filled(embedded::page_html, values);
}

}  // namespace omen::report
