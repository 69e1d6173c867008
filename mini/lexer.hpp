/// \file
/// Splits a mini source into words, numbers and symbols.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "mini/ast.hpp"
#include "trace/error.hpp"

namespace omen::mini {

inline constexpr std::size_t kMaxSourceBytes = 1U << 20;

struct Token {
  enum class Kind : std::uint8_t { Word, Number, Symbol, End };
  Kind kind = Kind::End;
  std::string_view text;  ///< of the source, which outlives the token
  std::uint64_t number = 0;
  Position at;
};

/// Ends with an `End` token. Comments are C++'s.
std::expected<std::vector<Token>, InputError> tokens_of(std::string_view source, const std::string& file);

InputError error_at(const std::string& file, Position at, std::string message);

}  // namespace omen::mini
