/// \file
/// The value trace of a run: its events in the recorded order, with what the interpretation of each thread says of
/// them.
///
/// A cell has values if the recording explains every read of it: the last write in the recorded order, or the initial
/// value, gave what was read. Where it does not, since code that nobody sees wrote too, or where memory is accessed
/// plainly and atomically, the cell is opaque (trace/values/value_trace.hpp): its reads keep their recorded writers.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "native/program.hpp"
#include "native/recording.hpp"
#include "native/thread_run.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::native {

struct Built {
  std::uint64_t cells = 0;
  std::uint64_t opaque = 0;  ///< of those, and of atomics, without values
};

/// Fills in `run.trace`. An error in words if the recorded order of two accesses is not the one in which they happened.
std::expected<Built, std::string> build_values(const Program& program, const Recording& recording, Run& run);

}  // namespace omen::native
