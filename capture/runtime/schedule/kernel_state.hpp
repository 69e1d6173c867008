/// \file
/// What the kernel says of a thread of this process.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct KernelState {
  char state = 'X';  ///< `R`, `S`, … as in /proc; 'X': there is no such thread
  u64 cpu = 0;       ///< nanoseconds that it has run; 0 where the kernel does not count
  u64 slices = 0;    ///< how often it was put on a processor
};

/// Without `cpu` and `slices`.
char state_of_thread(u32 system_id);
KernelState kernel_state_of(u32 system_id);
/// How many threads the process has; 0: nobody can tell.
u32 task_count();

/// How often each of the other threads was put on a processor, in one number; 0: one of them runs now, or nobody can
/// tell. While two looks yield the same, no other thread has run in between.
u64 other_tasks_digest();

}  // namespace omen::rt
