/// \file
/// Functions of oneTBB that are replaced in the linkage tables of instrumented modules. Its headers are templates, so
/// the program's own instrumented code has most of its synchronisation; what is left to libtbb.so is to hand tasks to
/// threads and to wait for them, by atomics that nobody sees:
///
/// - A task that is spawned, submitted or enqueued comes after its spawner. libtbb calls it by its table of virtual
///   functions, so the hook gives the task a table of ours, whose functions acquire what the spawner released, put the
///   task's own table back, and call that.
/// - The end of a wait comes after the tasks that count down the reference count of its `wait_context`. That is an
///   atomic which the headers change; the hook loads it.
/// - What an arena executes for a thread, maybe in another one, is ordered after its caller, and its end before it.
/// - Small objects are allocated by libtbb from pools: each begins a new life.
///
/// Not seen: pipelines, resumable tasks, `queuing_rw_mutex` and speculative mutexes, which libtbb synchronises inside;
/// and a wait that ends by an exception.
#pragma once

#include "capture/runtime/foreign/library_hooks.hpp"

namespace omen::rt {

extern const LibraryHook tbb_hooks[];
extern const u32 tbb_hook_count;

}  // namespace omen::rt
