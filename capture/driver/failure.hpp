/// \file
/// An error of the driver itself: a message and an exit code.
#pragma once

#include <string>

namespace omen::driver {

inline constexpr int kRefused = 64;      ///< a command line that cannot be instrumented
inline constexpr int kUnavailable = 69;  ///< no compiler, or no runtime to link

struct Failure {
  int code;
  std::string message;
};

}  // namespace omen::driver
