/// \file
/// Parses the text of a mini program into its tree. The grammar is in docs/mini.md; each of its rules is a function
/// here. Invariant: no returned tree is higher than `kMaxHeight`, whatever the source.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "mini/ast.hpp"
#include "trace/error.hpp"

namespace omen::mini {

inline constexpr unsigned kMaxHeight = 200;

/// `file` is the name of the source in messages and locations.
std::expected<Program, InputError> parse(std::string_view source, std::string file);

}  // namespace omen::mini
