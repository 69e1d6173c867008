/// \file
/// A position in one line of text, for the reader of value traces.
#pragma once

#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/values/expression.hpp"

namespace omen::values {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  std::string_view rest() {
    skip_blanks();
    return rest_;
  }
  /// Consumes `token` if it comes next.
  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  /// Up to a blank or a parenthesis.
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(" \t()"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }

 private:
  std::string_view rest_;
};

/// Decimal, hexadecimal or negative, as a pattern of 64 bits.
inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return negative ? std::uint64_t{0} - number : number;
}

/// The number as a pattern of `width` bits, if it is one, unsigned or signed.
inline std::optional<std::uint64_t> parse_bits(std::string_view text, Width width) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  if (!text.starts_with('-')) return (*number & ~mask(width)) == 0 ? number : std::nullopt;
  const std::uint64_t bits = *number & mask(width);
  return static_cast<std::uint64_t>(as_signed(bits, width)) == *number ? std::optional(bits) : std::nullopt;
}

}  // namespace omen::values
