/// \file
/// Pauses after releases: a thread that has released a lock or posted a semaphore sleeps for a moment, so that other
/// threads take part.
///
/// A worker that finds its queue's lock free each time does all the work before the kernel has woken the other workers.
/// The run then has no accesses of the others, and no analysis can show a race between workers. So a thread sleeps
/// after its first, second, fourth, eighth … release. The sleep is between the release and the thread's next operation:
/// another thread can take the lock and run concurrently.
///
/// Every run with pauses is a possible run without them: they change only which schedule happens. Their time is
/// bounded: 20 ms for a process, and beyond that a 64th of the time that it has run. A thread does not pause if it is
/// alone, in a signal handler, or controlled by the scheduler (schedule/).
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
