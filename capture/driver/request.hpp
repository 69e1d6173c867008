/// \file
/// What a compiler's command line asks for, as far as the driver has to know it: whether it links, what it links, and
/// which sanitizers it wants. GCC's and clang's options are read alike; an option that one of them lacks is an error of
/// that compiler.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/driver/failure.hpp"

namespace omen::driver {

struct Request {
  /// The arguments for the compiler: without `thread` in sanitizer lists (the driver adds the instrumentation itself),
  /// and, for a shared library, without the demand that it leaves no symbol undefined (the runtime's are in the
  /// executable).
  std::vector<std::string> arguments;

  bool instruments = true;        ///< false after -fno-sanitize=thread, and when there is nothing to compile or link
  bool compiles = false;          ///< some input can be instrumented
  bool links = false;             ///< an executable or a shared library is made
  bool links_runtime = false;     ///< an executable is made
  bool default_libraries = true;  ///< false after -nostdlib and the like
  bool other_sanitizers = false;  ///< say, undefined: its own runtime has to be linked as usual
  bool takes_plugin = true;       ///< false where a plugin that instruments would be in the way
  bool places_checks = true;      ///< false if the user wants every check where its access is
  bool only_redundant = false;    ///< of placement, no more than to take away redundant checks
  bool verifies = false;          ///< the program compares its checks with its accesses
  bool records_values = false;    ///< --omen-values
};

/// Reads a command line; its response files are already expanded. A Failure for what cannot be instrumented.
std::expected<Request, Failure> read_request(const std::vector<std::string>& arguments);

}  // namespace omen::driver
