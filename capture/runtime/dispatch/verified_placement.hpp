/// \file
/// Whether the checks of a run are precise (BigFoot, section 2; the paper's verifier, section 5). A program that
/// `omen-cc --omen-verify-placement` compiled tells of each access and of each check; the bytes are compared for each
/// stretch of a thread between two synchronisations or changes of memory:
///
/// - every byte that is read has a check, and every byte that is written one of a write;
/// - every byte that is checked is accessed, and where a write is checked it is written;
/// - every byte that is read before the thread has written it has a check of a read ahead of all those of writes, or a
///   recording would leave the read out.
///
/// Signal handlers are not compared: they come between any two instructions, as no order of them says.
#pragma once

#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

/// The thread's last stretch is over, and with it the thread.
void end_verified_thread(ThreadState* thread);

/// The end of the process: that thread's stretch, and a line that says how much was compared.
void end_verification(ThreadState* thread);

}  // namespace omen::rt
