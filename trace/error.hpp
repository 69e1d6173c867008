/// \file
/// Two kinds of failure: bad input is a value (`InputError`, exit 65); a bug of omen ends the process (`OMEN_CHECK`,
/// exit 70), in release builds too.
#pragma once

#include <string>

#include "trace/check.hpp"

namespace omen {

/// An error in an input, with its position: "t.std:12: expected …".
struct InputError {
  std::string file;
  std::string position;  ///< "12" (a line) or "offset 4096"; empty for the whole file
  std::string message;   ///< the expectation, and what was found

  std::string text() const { return file + (position.empty() ? "" : ":" + position) + ": " + message; }
};

/// Prints `what` and its position in omen's source to standard error and ends the process with code 70.
[[noreturn]] void internal_error(const char* file, int line, const std::string& what);

}  // namespace omen
