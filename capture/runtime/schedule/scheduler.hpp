/// \file
/// Makes a run follow the order of a plan (docs/replay.md). At each synchronisation the thread waits until the point is
/// due. At the last two locations both threads are held, and then execute their accesses one after the other. After
/// that, or when the run has left the order, all threads run uncontrolled. (Runs under a strategy also enter through
/// `gate`, and continue in explore/.)
///
/// Call sites: `gate` precedes operations that may block or whose outcome depends on their moment;
/// `Recorder::synchronise` calls `pass` for every operation. Accesses come here only in a thread that has passed its
/// last step, through its `Watch::Scheduled`. Without a plan these call sites are a no-op instruction at a
/// synchronisation (base/static_branch.hpp), and nothing at an access.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/base/static_branch.hpp"
#include "capture/runtime/records/raw_layout.hpp"
#include "trace/point_kind.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::schedule {

/// What controls the program's threads.
enum class Mode : u8 {
  Off,
  Replay,   ///< a plan: this file
  Explore,  ///< a strategy: explore/
  Confirm,  ///< nothing, but threads wait at two locations: confirm/
};
/// Called once, before there are other threads. False: the process cannot change its code, and the run is not
/// controlled.
bool take_control(Mode as);
extern Mode mode;  ///< set by `take_control`
/// `mode` is not Off.
OMEN_INLINE bool on() {
  return OMEN_UNLIKELY(static_branch_is_taken());
}
/// The run exists only for its schedule: it is neither recorded nor watched.
OMEN_INLINE bool leads() {
  return on() && mode != Mode::Explore;
}
OMEN_INLINE bool replays() {
  return on() && mode == Mode::Replay;
}

/// Reads the plan. False: there is none for this process.
bool start(const char* path);
/// Registers the first thread.
void adopt_first_thread(ThreadState* thread);
/// Registers the child that `creator` has just announced.
void adopt_child(ThreadState* creator, ThreadState* child);
/// The child could not be created.
void drop_child(ThreadState* child);
/// Called by the new thread, before its function.
void begin_thread(ThreadState* thread);
/// Called at the thread's last operation that the runtime sees.
void end_thread(ThreadState* thread);

/// Called before an operation on `object`: returns when it is due, or is not a step. Signal handlers may run meanwhile.
/// A plan has the kind; without a plan it is the caller's.
void gate(ThreadState* thread, uptr pc, uptr object = 0, u64 bytes = 1, PointKind kind = PointKind::Both);
/// A fence is a point for a strategy, but not for a plan.
void fence(ThreadState* thread, uptr pc);
/// Called for the operation itself: after an acquire, before a release.
void pass(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
/// An attempt failed that succeeds in the order. True: the caller must repeat it, because the holder is about to
/// release.
bool tries_again(ThreadState* thread, uptr pc);

/// Called in a condition wait that has released its mutex; returns when the thread must re-acquire it. An order does
/// not contain wake-ups; a wait may wake spuriously.
enum class Woken : u8 { Signalled, TimedOut };
Woken await_wake(ThreadState* thread, uptr pc);
/// False: control is over, and waits use the C library.
bool runs();

/// Called for a plain access, or a range, in a thread with `Watch::Scheduled`.
void access(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
/// Called for allocations and frees.
void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

/// The order runs the thread's handlers later.
bool defers_signals(const ThreadState* thread);

/// Called at program exit: waits until the order is complete.
void await_end();
/// Called in a forked child, which continues without a plan.
void release_forked_child();
/// Sets the beginning of the first thread's stack.
void note_first_stack(uptr frame);

}  // namespace omen::rt::schedule
