/// \file
/// In a replayed run an operation is made when its turn has come (docs/replay.md), in an explored one when its thread
/// is chosen (docs/explore.md). What interceptors call in front of operations that block, or whose moment decides what
/// they do; all others wait in `Recorder::synchronise`.
#pragma once

#include "capture/runtime/base/keep_errno.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {

/// Only in a run that has a schedule. A call of its own, so that the others pay for a test and nothing else.
OMEN_NOINLINE inline void await_scheduled_turn(const void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) schedule::gate(thread, pc, reinterpret_cast<uptr>(object));
}
OMEN_INLINE void await_turn(const void* object, uptr pc) {
  if (schedule::on()) await_scheduled_turn(object, pc);
}

/// An attempt that found its object taken or empty. Who leaves or fills it may stand before it in the order, and still
/// be inside the C library: then it is made again.
OMEN_NOINLINE inline bool tries_scheduled_again(uptr pc) {
  const KeepErrno keep;
  ThreadState* const thread = recording_thread();
  return thread != nullptr && schedule::tries_again(thread, pc);
}
OMEN_INLINE bool tries_again(bool refused, uptr pc) {
  return OMEN_UNLIKELY(refused) && schedule::on() && tries_scheduled_again(pc);
}

}  // namespace omen::rt
