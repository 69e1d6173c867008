/// \file
/// Random small mini programs, a pure function of seed and limits: a few threads, shared variables of several widths,
/// locks that sometimes guard them, branches on shared values, arithmetic. All of them terminate in every schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace omen::mini {

struct ProgramLimits {
  std::size_t threads = 3;     ///< at most, including main; at least 2
  std::size_t statements = 4;  ///< of a thread, at most, without nested ones
  std::size_t depth = 2;       ///< nesting depth of blocks
  bool arrays = true;
  bool objects = false;
  bool loops = true;
  bool faults = false;  ///< divisions by values that may be 0, and assertions
};

/// The source of a program that the checker accepts.
std::string random_program(std::uint64_t seed, const ProgramLimits& limits = {});

/// How many programs a test tries: its own default, or the value of OMEN_PROGRAMS.
inline std::size_t program_count(std::size_t standard) {
  const char* wanted = std::getenv("OMEN_PROGRAMS");
  return wanted == nullptr ? standard : static_cast<std::size_t>(std::stoull(wanted));
}

}  // namespace omen::mini
