/// \file
/// Which loads of a loop decide about what it accesses: their value comes to a branch, an address, a call or anything
/// else that is not mere computation, within the loop. Through memory too: a value that is stored decides if a load
/// that may see it decides.
///
/// Uses behind the loop do not count.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

class DecidingLoads {
 public:
  DecidingLoads(const llvm::Loop& loop, llvm::AAResults& aliases);

  /// Whether the check is of one of them.
  bool are_checked_by(const Check& check, llvm::ScalarEvolution& evolution) const;

 private:
  enum class Role { None, Stored, Decides };
  Role role_of(const llvm::LoadInst& load, llvm::SmallVectorImpl<const llvm::StoreInst*>& stores) const;

  const llvm::Loop& loop_;
  llvm::SmallPtrSet<const llvm::LoadInst*, 8> loads_;
};

}  // namespace omen::placement
