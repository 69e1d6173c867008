/// \file
/// The runtime's beginning.
#pragma once

namespace omen::rt {

/// Starts recording if the environment asks for it. May be called several times; the first counts.
void start_runtime();

/// Modules that were loaded since the last call are written to the recording.
struct ThreadState;
void record_modules(ThreadState* thread);

/// The command line and what else a new file begins with.
void record_process(ThreadState* thread);

}  // namespace omen::rt
