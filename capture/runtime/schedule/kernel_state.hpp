/// \file
/// The kernel's view of a thread of this process.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct KernelState {
  char state = 'X';  ///< `R`, `S`, … as in /proc; 'X': there is no such thread
  u64 cpu = 0;       ///< nanoseconds of processor time; 0 where the kernel does not count it
  u64 slices = 0;    ///< how often it was scheduled onto a processor
};

/// Without `cpu` and `slices`.
char state_of_thread(u32 system_id);
KernelState kernel_state_of(u32 system_id);
/// The number of threads of the process; 0: unknown.
u32 task_count();

/// How often each of the other threads was scheduled onto a processor, hashed into one number; 0: one of them runs now,
/// or it is unknown. While two calls return the same, no other thread has run in between.
u64 other_tasks_digest();

}  // namespace omen::rt
