/// \file
/// The value trace of a run: its events in the recorded order, with what the interpretation of each thread says of
/// them, and the paths that were found. Memory that one thread alone uses, on paths too, is no cell.
#pragma once

#include <cstdint>

#include "native/cells.hpp"
#include "native/program.hpp"
#include "native/recording.hpp"
#include "native/thread_run.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::native {

struct Built {
  std::uint64_t cells = 0;
  std::uint64_t opaque = 0;  ///< of those, and of atomics, without values
};

/// Fills in `run.trace`. Cells that another thread touches on a path become shared.
Built build_values(const Program& program, const Recording& recording, Cells& cells, Run& run);

}  // namespace omen::native
