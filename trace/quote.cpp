#include "trace/quote.hpp"

namespace omen {

std::string on_one_line(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
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
