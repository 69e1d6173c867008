/// \file
/// In a replayed run an operation is made when its turn has come (docs/replay.md), in an explored one when its thread
/// is chosen (docs/explore.md). What interceptors call in front of operations that block, or whose moment decides what
/// they do; all others wait in `Recorder::synchronise`.
#pragma once

#include "capture/runtime/base/keep_errno.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {

OMEN_INLINE void await_turn(const void* object, uptr pc) {
  if (!schedule::on()) return;
  if (ThreadState* const thread = recording_thread()) schedule::gate(thread, pc, reinterpret_cast<uptr>(object));
}

/// An attempt that found its object taken or empty. Who leaves or fills it may stand before it in the order, and still
/// be inside the C library: then it is made again.
OMEN_INLINE bool tries_again(bool refused, uptr pc) {
  if (!schedule::on() || !refused) return false;
  const KeepErrno keep;
  ThreadState* const thread = recording_thread();
  return thread != nullptr && schedule::tries_again(thread, pc);
}

}  // namespace omen::rt
