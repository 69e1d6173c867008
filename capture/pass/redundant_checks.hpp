/// \file
/// Takes away checks of what the thread has checked already, in the same or a stronger way, on every path to them and
/// with no barrier in between. The runtime would find that they repeat an access of the same epoch, and do nothing.
///
/// A write covers a read. A read before a write stays: which schedules are possible depends on what was read.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

/// Whether something was taken away.
bool remove_redundant_checks(llvm::Function& function, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace omen::placement
