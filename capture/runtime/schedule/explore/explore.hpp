/// \file
/// The interface between the rest of the runtime and the scheduler of a controlled run. `explored_thread` is null for a
/// thread that runs uncontrolled; nothing here is called for such a thread.
#pragma once

#include "capture/runtime/records/raw_layout.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {

/// OMEN_EXPLORE: `log=PATH:strategy=NAME:seed=N:depth=N:steps=N:points=N`. False: the run cannot be controlled.
/// `before_end` is called before a verdict ends the process.
bool start(const char* text, void (*before_end)());

/// The current thread if its next operation is controlled.
OMEN_INLINE ThreadState* explored_thread() {
  if (OMEN_LIKELY(!schedule::on()) || schedule::mode != schedule::Mode::Explore) return nullptr;
  ThreadState* const thread = recording_thread();
  return thread != nullptr && thread->explored != nullptr && !explorer.is_over() ? thread : nullptr;
}

/// Tells the detector of a synchronisation: before a release, after an acquire. A release is a point of its own; other
/// operations have already passed theirs.
void note(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);

/// The thread may be about to end the program: the others run as long as they can. False: some cannot be notified.
bool await_others(ThreadState* thread, uptr pc);

/// A thread of this process received a signal.
void note_signal();
/// The current thread sent a signal that has a handler. Returns after its delivery.
u64 signals_seen();
void await_signal(u64 seen_before);

/// `pthread_testcancel`; in interceptors/attempts.cpp, which knows the C library.
void test_cancel();

// The virtual time, by the clocks of the system.
bool is_virtual_clock(int clock);
u64 clock_now(int clock);
/// Converts an absolute time of a clock, or a relative time, to a deadline.
u64 deadline_at(int clock, u64 seconds, u64 nanoseconds);
u64 deadline_in(u64 nanoseconds);

}  // namespace omen::rt::explore
