/// \file
/// Names and types of a mini program. No conversion is implicit: both sides of an operator have the same type, and a
/// number takes the type that its context determines (else i32).
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "mini/ast.hpp"
#include "trace/error.hpp"

namespace omen::mini {

/// Completes the tree, or returns the error in the program.
std::expected<void, InputError> check(Program& program);

/// `parse` and `check`.
std::expected<Program, InputError> load(std::string_view source, std::string file);
/// Loads a file. Locations name the file without its folders.
std::expected<Program, InputError> load_file(const std::string& path);

/// As in the source: `u8`, or a struct's name.
std::string text(Type type, const Program& program);

}  // namespace omen::mini
