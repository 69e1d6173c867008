/// \file
/// Accesses that the instrumentation passes over because of their size: vectors of more than 16 bytes, which the
/// compiler makes of loops and of code side by side, and integers of odd sizes.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace omen::placement {

/// Those of the function, as it is before the instrumentation.
llvm::SmallVector<llvm::Instruction*, 8> find_wide_accesses(llvm::Function& function);

/// A check in front of each.
void check_wide_accesses(llvm::ArrayRef<llvm::Instruction*> accesses);

}  // namespace omen::placement
