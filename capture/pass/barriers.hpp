/// \file
/// What no check may be moved over, and what ends the validity of a check that was made.
///
/// BigFoot, section 2: a check is legitimate before its access if no acquire lies between, and it covers later accesses
/// up to the next release. Both hold between two barriers. Between them an access is also sure to be reached: whatever
/// may not return, may unwind or may wait for ever is a barrier too. So is what may free memory, after which the same
/// address is another variable.
#pragma once

#include "llvm/IR/Instruction.h"

namespace omen::placement {

bool is_barrier(const llvm::Instruction& instruction);

}  // namespace omen::placement
