/// \file
/// Updates: `x += 2`, a counter, a maximum. What is read goes into what is written to the same place, and nowhere else:
/// into no branch, address, call or other memory. So whatever else was read there, the thread would have gone the same
/// way (docs/event-model.md, "Updates"). The two checks become one that says so.
///
/// Invariant: between the load and the store nothing else touches memory, synchronises or leaves the block, so the
/// check of both stands where each of them would. Only the function itself is looked at, so a value that is returned,
/// passed or kept in a local variable in memory counts as used.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

/// For a function with checks in front of all its accesses. If it is to be optimised, checks in loops without barriers
/// stay as they are: placement moves them out of their loops, which matters more.
void mark_updates(llvm::Function& function);

}  // namespace omen::placement
