/// \file
/// Waiting, at program exit, for the other threads.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Returns when every other thread of the process has ended or is blocked by something that only another thread can
/// end, or when `atexit_sleep_ms` of all waits together are over. Returns at once where it may not wait: in a thread
/// that the runtime does not know, in a signal handler, in the child of a `vfork`, or while another thread waits here.
void await_other_threads();

/// The number of threads of the process; 1 if unknown.
u64 thread_count();
u64 monotonic_nanoseconds();

/// Declares that this is the process whose threads are waited for: at the start, and in a forked child.
void own_this_process();
/// False in the child of a `vfork`, and in processes that are not watched.
bool is_own_process();

}  // namespace omen::rt
