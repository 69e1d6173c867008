/// \file
/// One measurement: one pass over a trace, in a process of its own, so that its peak memory is its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace omen::bench {

/// Passes without analysis.
inline constexpr const char* kRead = "read";               ///< decode every event
inline constexpr const char* kReadChecked = "read+check";  ///< and check well-formedness, as every analysis does

struct Measurement {
  double seconds = 0;   ///< processor time, user and system, of opening the trace, the pass and the end of the analysis
  double peak_mib = 0;  ///< the process's peak resident memory
  std::uint64_t events = 0;
  std::uint64_t races = 0;  ///< racy accesses that the analysis reported
};

/// Runs `pass` (one of the above or an analysis's name) over the trace. Nothing if it failed, after an error message.
std::optional<Measurement> measure(const std::string& pass, const std::string& trace);

}  // namespace omen::bench
