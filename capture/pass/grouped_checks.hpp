/// \file
/// Checks of one block that lie within 64 bytes of each other are one, whatever lines they are of and whether they read
/// or write (BigFoot, section 4, coalescing): the members of a structure that a function sets one after the other, a
/// counter that is read on one line and written on the next. The runtime keeps the members apart where a report or a
/// trace has to (check_groups.hpp).
///
/// The group stands where its first member stood. So members are only moved ahead, over no barrier, to where their
/// access is sure to happen; and within the group they keep the order of the program. A member that writes does not
/// move ahead of a read, outside the group, of what may be the same memory (overtaken_reads.hpp).
///
/// After all other steps: these do not see into groups.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

bool group_checks(llvm::Function& function, llvm::ScalarEvolution& evolution, llvm::AAResults& aliases);

}  // namespace omen::placement
