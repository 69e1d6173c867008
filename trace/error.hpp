/// \file
/// Two kinds of failure, kept apart: bad input is a value (`InputError`, exit 65); our own bug aborts (`OMEN_CHECK`,
/// exit 70), in release builds too.
#pragma once

#include <string>

#include "trace/check.hpp"

namespace omen {

/// What is wrong with an input, and where: "t.std:12: expected …".
struct InputError {
  std::string file;
  std::string position;  ///< "12" (a line) or "offset 4096"; empty when the whole file is meant
  std::string message;   ///< what was expected, and what stood there

  std::string text() const { return file + (position.empty() ? "" : ":" + position) + ": " + message; }
};

/// Prints `what` with its place in omen's own source to standard error and ends the process with code 70.
[[noreturn]] void internal_error(const char* file, int line, const std::string& what);

}  // namespace omen
