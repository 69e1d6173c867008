/// \file
/// Which memory other threads can reach, as far as one function tells.
///
/// A local variable is out of their reach if its address is given to nobody. That is a question about the variable, not
/// about the pointer of one access: clang before 21 asks it about the pointer, and takes a member for private whose
/// variable stands in a queue.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Value.h"

namespace omen::placement {

/// Whether somebody may know the address when the function that has it is over, or another thread before. Where nothing
/// is known of a callee, it keeps what it is given.
bool is_given_away(const llvm::Value& pointer);

class ReachableMemory {
 public:
  /// False: nobody else can reach it, or nobody may write it.
  bool contains(const llvm::Value* pointer);

 private:
  bool is_reachable(const llvm::Value* object);
  bool is_given_away(const llvm::AllocaInst* variable);

  llvm::DenseMap<const llvm::AllocaInst*, bool> given_away_;
};

}  // namespace omen::placement
