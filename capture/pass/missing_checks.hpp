/// \file
/// Checks for accesses that ThreadSanitizer's instrumentation passes over although another thread can reach the memory
/// (docs/instrumentation.md lists them).
///
/// Invariant: after `add`, every load and store of the function that is neither atomic nor of memory that provably no
/// other thread can reach has a check immediately in front of it. What is reachable is decided before the
/// instrumentation: its calls take addresses as arguments, and so give them away.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <utility>

namespace omen::placement {

class MissingChecks {
 public:
  /// Before the instrumentation.
  explicit MissingChecks(llvm::Function& function);
  /// After it.
  void add() const;

 private:
  llvm::SmallVector<llvm::Instruction*, 32> accesses_;                 ///< plain loads and stores
  llvm::SmallVector<std::pair<llvm::CallBase*, unsigned>, 4> copies_;  ///< arguments that a call copies
  llvm::SmallVector<llvm::CallBase*, 4> masked_;                       ///< masked_checks.hpp
};

}  // namespace omen::placement
