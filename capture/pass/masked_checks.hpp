/// \file
/// Accesses of some lanes of a vector: what the vectoriser makes of conditions in loops where the processor has
/// instructions for it (AVX), and of indices that are data. The instrumentation passes over them.
///
/// The lanes are known only when the program runs, so their check is of a mask that is computed: the bytes of the
/// active lanes, and nothing if there is none.
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace omen::placement {

/// The address, or the vector of them; null if the call is no such access.
const llvm::Value* masked_address(const llvm::CallBase& call);

/// Puts a check in front of it.
void check_masked_access(llvm::CallBase& call);

}  // namespace omen::placement
