/// \file
/// The runtime's beginning.
#pragma once

namespace omen::rt {

/// Starts recording if the environment asks for it. May be called several times; the first counts.
void start_runtime();

/// The C library's own heap functions, before anything can ask for them in the middle of looking them up.
void find_heap_functions();

/// Modules that were loaded since the last call are written to the recording.
struct ThreadState;
void record_modules(ThreadState* thread);

/// The command line and what else a new file begins with.
void record_process(ThreadState* thread);

}  // namespace omen::rt
