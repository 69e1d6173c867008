/// \file
/// What the rest of the runtime tells the scheduler of a controlled run, and asks of it. `explored_thread` is null
/// where a thread runs freely; then nothing here is called for it.
#pragma once

#include "capture/runtime/records/raw_layout.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {

/// OMEN_EXPLORE: `log=PATH:strategy=NAME:seed=N:depth=N:steps=N:points=N`. False: it cannot be controlled. `before_end`
/// is called before a verdict ends the process.
bool start(const char* text, void (*before_end)());

/// The current thread if its next operation is to be made under control.
OMEN_INLINE ThreadState* explored_thread() {
  if (OMEN_LIKELY(!schedule::on()) || schedule::mode != schedule::Mode::Explore) return nullptr;
  ThreadState* const thread = recording_thread();
  return thread != nullptr && thread->explored != nullptr && !explorer.is_over() ? thread : nullptr;
}

/// The detector is told of a synchronisation: before a release, after an acquire. A release is a point of its own;
/// others have passed theirs.
void note(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);

/// The thread may be about to end the program: the others go on as long as they can. False: some cannot be told.
bool await_others(ThreadState* thread, uptr pc);

/// A signal came to a thread of this process.
void note_signal();
/// One was sent by the current thread, with a handler to run: when this returns it has come.
u64 signals_seen();
void await_signal(u64 seen_before);

/// `pthread_testcancel`; in interceptors/attempts.cpp, which knows the C library.
void test_cancel();

// The virtual time, by the clocks of the system.
bool is_virtual_clock(int clock);
u64 clock_now(int clock);
/// An absolute time of a clock; a relative one.
u64 deadline_at(int clock, u64 seconds, u64 nanoseconds);
u64 deadline_in(u64 nanoseconds);

}  // namespace omen::rt::explore
