/// \file
/// Where a program fetches memory ahead, the runtime does the same with what it keeps about that memory.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

bool prefetch_shadow(llvm::Function& function);

}  // namespace omen::placement
