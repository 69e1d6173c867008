/// \file
/// What the interceptors need at the start of the process, and what is to happen when it forks and when it ends.
#pragma once

namespace omen::rt {

/// Looks up the C library's own heap functions, before anything can ask for them in the middle of that.
void find_heap_functions();

void install_process_hooks();
void install_end_hooks();  // interceptors/program_end.cpp

/// Around a fork that runs no fork handlers, in the thread that forks. `result` is what the call returned.
void fork_begins();
void fork_ends(long result);

}  // namespace omen::rt
