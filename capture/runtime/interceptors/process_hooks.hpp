/// \file
/// The interceptors' work at the start of the process, when it forks, and when it ends.
#pragma once

namespace omen::rt {

/// Looks up the C library's own heap functions, before that lookup itself can need them.
void find_heap_functions();

void install_process_hooks();
void install_end_hooks();  // interceptors/program_end.cpp

/// Called around a fork that runs no fork handlers, in the forking thread. `result` is the return value.
void fork_begins();
void fork_ends(long result);

}  // namespace omen::rt
