/// \file
/// Runs each thread of a recording once more, and from each of its branches on what it has read looks for the ways that
/// it could go from the other side (path_run.hpp), within bounds.
#pragma once

#include "native/cells.hpp"
#include "native/program.hpp"
#include "native/recording.hpp"
#include "native/thread_run.hpp"

namespace omen::native {

/// `run` has all threads; `run.paths` is filled, and counted.
void find_paths(const Program& program, const Recording& recording, const Cells& cells, Run& run);

}  // namespace omen::native
