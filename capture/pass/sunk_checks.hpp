/// \file
/// Checks that sink behind a branch, to where a check of the same memory follows, and become one with it: the key of a
/// list's node is read, and then, if the search goes on, its link (BigFoot, sections 3.3 and 4: deferral, then
/// coalescing). On the other ways from the branch the check is made alone, so no way has more checks than before.
///
/// If the first is of the bytes of the second, the second is not needed on that way, and is made on the others.
///
/// Where several ways meet, the check that follows is made on each of them, with the address that it has there: in
/// a loop over a list it is that of the next node, in the iteration before. Its access is sure to happen there.
///
/// Reads keep their order, as the second one may depend on the first: a check is looked at upwards, so the bytes of the
/// first have to come before those of the second. Two checks of which this is not so, or of different lines, or of a
/// read and a write, stand beside each other then, and become a group, which keeps the order (grouped_checks.hpp). No
/// other check, and nothing that may have one inside, is passed.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

bool sink_checks(llvm::Function& function, llvm::DominatorTree& dominators, llvm::LoopInfo& loops,
                 llvm::ScalarEvolution& evolution);

}  // namespace omen::placement
