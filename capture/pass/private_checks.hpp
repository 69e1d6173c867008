/// \file
/// Checks of memory that no other thread can reach go: of a local variable, or a block of the heap, whose address the
/// function gives to nobody, or only to functions that do not keep it (summaries.hpp).
///
/// So do those of constants, which nobody writes. A constant that is computed when the program starts is a variable
/// that is written then; other threads may be there already, so it keeps its checks.
///
/// Such an access races with none, and orders no critical sections: what conflicts with it is the same thread's. A
/// callee that is lent the address has checks of its own, which find nothing but each other.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace omen::placement {

class PrivateChecks {
 public:
  /// Before the instrumentation, whose calls take addresses as arguments, and so give them away.
  PrivateChecks(llvm::Function& function, const llvm::TargetLibraryInfo& library);
  /// After it.
  void remove() const;

 private:
  bool is_private(const llvm::Value* pointer);
  bool is_private_object(const llvm::Value* object);

  const llvm::TargetLibraryInfo& library_;
  llvm::DenseMap<const llvm::Value*, bool> objects_;
  llvm::SmallVector<llvm::Instruction*, 32> accesses_;
};

}  // namespace omen::placement
