/// \file
/// omen's own bugs end the program, in release builds too (exit 70), with the position of the failed check.
#pragma once

namespace omen {

/// Prints the condition and its position in omen's source to standard error, and ends the process with code 70.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace omen

#define OMEN_CHECK(condition)                               \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::omen::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
