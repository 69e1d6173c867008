/// \file
/// What a compiler's command line requests, as far as the driver needs it: whether it links, what it links, and the
/// sanitizers. GCC's and clang's options are parsed alike; the compiler rejects those that it does not have.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/driver/failure.hpp"

namespace omen::driver {

struct Request {
  /// The arguments for the compiler: without `thread` in sanitizer lists, since the driver adds the instrumentation,
  /// and for a shared library without the options that forbid undefined symbols, since the runtime's symbols are in the
  /// executable.
  std::vector<std::string> arguments;

  bool instruments = true;        ///< false after -fno-sanitize=thread, and if nothing is compiled or linked
  bool compiles = false;          ///< some input can be instrumented
  bool links = false;             ///< the output is an executable or a shared library
  bool links_runtime = false;     ///< the output is an executable
  bool default_libraries = true;  ///< false after -nostdlib and similar options
  bool other_sanitizers = false;  ///< for example undefined: its runtime is linked as usual
  bool takes_plugin = true;       ///< false if an instrumenting plugin would interfere
  bool places_checks = true;      ///< false: every check stays at its access
  bool only_redundant = false;    ///< placement only removes redundant checks
  bool verifies = false;          ///< the program compares its checks with its accesses
  bool records_values = false;    ///< --omen-values
};

/// Parses a command line with expanded response files. A Failure if the request cannot be instrumented.
std::expected<Request, Failure> read_request(const std::vector<std::string>& arguments);

}  // namespace omen::driver
