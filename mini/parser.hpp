/// \file
/// From the text of a mini program to its tree. The grammar is in docs/mini.md; each of its rules is a function here.
/// Invariant: no tree that is handed out is higher than `kMaxHeight`, whatever the source.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "mini/ast.hpp"
#include "trace/error.hpp"

namespace omen::mini {

inline constexpr unsigned kMaxHeight = 200;

/// `file` is what messages and source locations call the source.
std::expected<Program, InputError> parse(std::string_view source, std::string file);

}  // namespace omen::mini
