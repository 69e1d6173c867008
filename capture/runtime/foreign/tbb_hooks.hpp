/// \file
/// Functions of oneTBB that are replaced in the linkage tables of instrumented modules. Its headers are templates, so
/// most of its synchronisation is in the program's own instrumented code. libtbb.so itself hands tasks to threads and
/// waits for them, with atomics that omen does not see:
///
/// - A task that is spawned, submitted or enqueued is ordered after its spawner. libtbb calls it through its table of
///   virtual functions. So the hook gives the task a table of ours, whose functions acquire what the spawner released,
///   restore the task's own table, and call that.
/// - The end of a wait is ordered after the tasks that count down the reference count of its `wait_context`. The count
///   is an atomic which the headers change; the hook loads it.
/// - What an arena executes for a thread, perhaps in another one, is ordered after its caller, and its end before the
///   caller's continuation.
/// - libtbb allocates small objects from pools: each allocation begins a new life.
///
/// Not covered: pipelines, resumable tasks, `queuing_rw_mutex` and speculative mutexes, which libtbb synchronises
/// internally; and a wait that ends by an exception.
#pragma once

#include "capture/runtime/foreign/library_hooks.hpp"

namespace omen::rt {

extern const LibraryHook tbb_hooks[];
extern const u32 tbb_hook_count;

}  // namespace omen::rt
