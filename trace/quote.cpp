#include "trace/quote.hpp"

#include <cstdint>

namespace omen {

namespace {

struct Character {
  std::size_t length = 1;  ///< bytes
  char32_t code = 0;       ///< 0 for bytes that are no UTF-8
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || is_surrogate) return {};
  return {length, code};
}

/// Control characters, line separators, and characters that are invisible or change the direction of text.
bool is_hidden(char32_t code) {
  const auto within = [&](char32_t first, char32_t last) { return first <= code && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0xAD || code == 0x61C || within(0x200B, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x2069) || code == 0xFEFF || within(0xFFFE, 0xFFFF);
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[(value >> static_cast<unsigned>(shift)) & 15U];
  }
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const Character next = first_of(text);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else if (next.code < 0x80 && is_hidden(next.code)) {  // also bytes that are not UTF-8
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(c), 2);
    } else if (is_hidden(next.code)) {
      out += "\\u";
      append_hex(out, next.code, 4);
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out;
}

std::string quoted(std::string_view text, std::size_t most) {
  std::size_t shown = text.size();
  if (shown > most) {
    shown = most;
    // Do not cut a UTF-8 character in two.
    while (shown > 0 && (static_cast<unsigned char>(text[shown]) & 0xc0) == 0x80) --shown;
  }
  std::string out = "'";
  out += on_one_line(text.substr(0, shown));
  out += shown < text.size() ? "…'" : "'";
  return out;
}

}  // namespace omen
