/// \file
/// Tests whether a run's placed checks are precise (BigFoot, section 2; the paper's verifier, section 5). A program
/// that was compiled with `omen-cc --omen-verify-placement` reports each access and each check. Their bytes are
/// compared for each stretch of a thread between two synchronisations or changes of memory:
///
/// - every byte that is read has a check, and every byte that is written has a check of a write;
/// - every byte that is checked is accessed, and a byte with a check of a write is written;
/// - every byte that is read before the thread writes it has a check of a read before all of its checks of writes,
///   because a recording would omit the read otherwise.
///
/// Signal handlers are not compared: they run between any two instructions, so their accesses have no fixed order.
#pragma once

#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

/// Ends the thread's last stretch, and frees its memory.
void end_verified_thread(ThreadState* thread);

/// Called at process exit: ends the thread's last stretch, and prints a summary.
void end_verification(ThreadState* thread);

}  // namespace omen::rt
