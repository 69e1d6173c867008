/// \file
/// Functions of GLib that are replaced in the linkage tables of instrumented modules. GLib's mutexes, conditions and
/// queues wait with futexes and change atomics inside libglib, where omen sees neither:
///
/// - A `GMutex` is a lock. A wait on a `GCond` releases and acquires its mutex.
/// - `g_once` and `g_once_init_enter`: the initialisation is ordered before those who find it done. Their macros load
///   the atomic in the program's own code; the hooks release it.
/// - Bit locks and asynchronous queues: an unlock or a push is ordered before each later lock or pop.
/// - A task of a thread pool is ordered after its push, and before the end of a `g_thread_pool_free` that waits.
/// - What a main loop dispatches is ordered after the attaching of its sources.
///
/// `GRecMutex`, `GRWLock`, `GPrivate` and `GThread` consist of pthread functions, which are intercepted.
///
/// Not covered: what GIO does inside (`GTask`, D-Bus).
#pragma once

#include "capture/runtime/foreign/library_hooks.hpp"

namespace omen::rt {

extern const LibraryHook glib_hooks[];
extern const u32 glib_hook_count;

/// After a poll. Uninstrumented code that polls may be a main loop.
void polled_by_main_loop(uptr pc);

}  // namespace omen::rt
