/// \file
/// Which checks of reads a check of a write overtakes when it is moved ahead.
///
/// The runtime leaves out a read of what the thread has written in the same epoch: its last writer is the thread
/// itself. A write check that overtakes the check of a read of the same memory would make it leave out a read that saw
/// another thread's write, and with it what the program did because of it. So such a check is of a read and a write:
/// the bytes are written anyway, and whatever conflicts with a read conflicts with a write.
///
/// A call that is no barrier may have checks of reads inside.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

class OvertakenReads {
 public:
  OvertakenReads(llvm::AAResults& aliases, llvm::ScalarEvolution& evolution)
      : aliases_(aliases), evolution_(evolution) {}

  /// From `place` to the write's check, in one block without barriers.
  /// But for those that are to stay ahead.
  bool exist_before(
      const Check& write, const llvm::Instruction& place,
      llvm::function_ref<bool(const llvm::Instruction&)> stays_ahead = [](const llvm::Instruction&) { return false; });
  /// In any iteration of a loop without barriers, before which the write's check is to stand.
  bool exist_in(const llvm::Loop& loop, const Check& write);

 private:
  /// It is, or has inside, the check of a read of what may be the same memory.
  bool is_overtaken(llvm::Instruction& instruction, const Check& write);
  bool may_overlap(const llvm::Instruction& read, const Check& write);

  llvm::AAResults& aliases_;
  llvm::ScalarEvolution& evolution_;
};

}  // namespace omen::placement
