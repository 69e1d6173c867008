/// \file
/// Pauses behind releases: a thread that gave a lock or a token back sleeps for a moment, so that other threads take
/// part.
///
/// A worker that finds its queue's lock free each time does all the work before the kernel has woken the other workers.
/// The run then has no accesses of theirs, and no analysis can show a race between workers. So a thread sleeps behind
/// its first, second, fourth, eighth … release. The sleep stands between the release and what the thread does next:
/// another thread can take the lock and run beside it.
///
/// Every run with pauses is a possible run without them: they change only which schedule happens. Their time is
/// bounded: 20 ms for a process, and beyond that a 64th of the time that it has run. A thread that is alone, in a
/// signal handler, or led by the scheduler (schedule/) does not pause.
#pragma once

#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

void pause_behind_release(const ThreadState& thread);

/// The current thread has released a lock or posted a semaphore.
OMEN_INLINE void pause_if_due(ThreadState* thread) {
  if (thread == nullptr) return;
  const u64 count = ++thread->releases;
  if (OMEN_UNLIKELY((count & (count - 1)) == 0)) pause_behind_release(*thread);
}

}  // namespace omen::rt
