/// \file
/// Makes a run follow the order of a plan (docs/replay.md). Where the runtime is told of a synchronisation, the thread
/// waits until that is due; at the last two places both threads are held, and then make their accesses one after the
/// other. When that is done, or the run has left the order, everything goes on freely. (Runs that a strategy leads come
/// through `gate` as well, and go on from there to explore/.)
///
/// How the calls get here: `gate` stands in front of operations that may block or whose moment decides what they do;
/// `pass` is called by `Recorder::synchronise` for every operation. Accesses come here only in a thread that has made
/// its last step, by its `Watch::Scheduled`. Without a plan a synchronisation executes an instruction that does nothing
/// where these calls stand (base/static_branch.hpp), and an access none.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/base/static_branch.hpp"
#include "capture/runtime/records/raw_layout.hpp"
#include "trace/point_kind.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::schedule {

/// Who decides when the program's threads go on.
enum class Mode : u8 {
  Off,
  Replay,   ///< a plan: this file
  Explore,  ///< a strategy: explore/
  Confirm,  ///< nobody, but two places are waited at: confirm/
};
/// Once, before there are threads. False: the code of the process cannot be changed, and the run is not controlled.
bool take_control(Mode as);
extern Mode mode;  ///< set by it
/// `mode` is not Off.
OMEN_INLINE bool on() {
  return OMEN_UNLIKELY(static_branch_is_taken());
}
/// The run is for the schedule only: it is neither recorded nor watched.
OMEN_INLINE bool leads() {
  return on() && mode != Mode::Explore;
}
OMEN_INLINE bool replays() {
  return on() && mode == Mode::Replay;
}

/// Reads the plan. False: there is none for this process.
bool start(const char* path);
/// The first thread.
void adopt_first_thread(ThreadState* thread);
/// The child that `creator` has just announced.
void adopt_child(ThreadState* creator, ThreadState* child);
/// It could not be created.
void drop_child(ThreadState* child);
/// The new thread, before it calls its function.
void begin_thread(ThreadState* thread);
/// Its last act that the runtime sees.
void end_thread(ThreadState* thread);

/// In front of an operation on `object`: returns when it is due, or is no step. Signal handlers may run meanwhile. A
/// plan has the kind; without one it is what the caller says.
void gate(ThreadState* thread, uptr pc, uptr object = 0, u64 bytes = 1, PointKind kind = PointKind::Both);
/// A fence is a point for a strategy, and none for a plan.
void fence(ThreadState* thread, uptr pc);
/// The operation itself; after an acquire, before a release.
void pass(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
/// An attempt failed that the order has succeed: it is to be made again, since the holder is about to leave.
bool tries_again(ThreadState* thread, uptr pc);

/// In a condition wait whose mutex was given up: returns when the mutex is to be taken back. What wakes a thread is not
/// part of the order; a wait may end without a reason.
enum class Woken : u8 { Signalled, TimedOut };
Woken await_wake(ThreadState* thread, uptr pc);
/// False: control is over, and waits are the C library's.
bool runs();

/// A plain access in a thread with `Watch::Scheduled`, or of a range.
void access(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
/// Allocations and frees.
void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

/// The order has the thread's handlers run later.
bool defers_signals(const ThreadState* thread);

/// The program is about to end: waits for the order to come to its end.
void await_end();
/// A forked child goes on without a plan.
void release_forked_child();
/// Where the first thread's stack begins.
void note_first_stack(uptr frame);

}  // namespace omen::rt::schedule
