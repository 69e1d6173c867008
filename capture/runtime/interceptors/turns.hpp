/// \file
/// In a replayed run an operation executes when its turn has come (docs/replay.md), in an explored run when its thread
/// is chosen (docs/explore.md). Interceptors call these functions before operations that block, or whose outcome
/// depends on their moment; all other operations wait in `Recorder::synchronise`.
#pragma once

#include "capture/runtime/base/keep_errno.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {

/// Only called in a run with a schedule. A separate function, so that other runs pay only for a test.
OMEN_NOINLINE inline void await_scheduled_turn(const void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) schedule::gate(thread, pc, reinterpret_cast<uptr>(object));
}
OMEN_INLINE void await_turn(const void* object, uptr pc) {
  if (schedule::on()) await_scheduled_turn(object, pc);
}

/// An attempt found its object taken or empty. In the order, the operation that releases or fills it may come earlier,
/// and its thread may still be inside the C library: then the attempt is repeated.
OMEN_NOINLINE inline bool tries_scheduled_again(uptr pc) {
  const KeepErrno keep;
  ThreadState* const thread = recording_thread();
  return thread != nullptr && schedule::tries_again(thread, pc);
}
OMEN_INLINE bool tries_again(bool refused, uptr pc) {
  return OMEN_UNLIKELY(refused) && schedule::on() && tries_scheduled_again(pc);
}

}  // namespace omen::rt
