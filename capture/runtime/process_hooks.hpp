/// \file
/// What is to happen when the process forks and when it ends.
#pragma once

namespace omen::rt {

struct ThreadState;

/// What the program says about its own races, at the start of a recording.
void record_suppressions(ThreadState* thread);

void install_process_hooks();
void install_end_hooks();  // interceptors/program_end.cpp

/// Around a fork that runs no fork handlers, in the thread that forks. `result` is what the call returned.
void fork_begins();
void fork_ends(long result);

}  // namespace omen::rt
