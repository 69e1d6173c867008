/// \file
/// Checks behind their accesses: in a loop without barriers whose length nobody knows before it runs, what goes along
/// memory is checked at once in the blocks that the loop leaves to (BigFoot, section 3.3), from where the first
/// iteration was to where the last one came: as a range, or as places with equal steps between them. A loop that is
/// long, or does not end, commits what is pending whenever `kMostPending` bytes are.
///
/// A check that is put off comes behind what the thread does in between. For happens-before nothing depends on that, as
/// no barrier lies between. For prediction and for witnesses each read has to come ahead of all that its value decides
/// about: a branch, an address. So the checks of one loop are committed in one phase, in this order:
///
/// - the read that decides how far the loop comes. At most one: what an iteration does depends on the reads of the
///   iterations before it, which are then all ahead. A range is looked at upwards, so downwards it is places, one after
///   the other. And only if no other check stays in the loop, which would come ahead of it.
/// - reads of which nothing in the loop depends; a value that is stored counts as used by the loads that may see it.
/// - what is read and written, then what is written. Nothing depends on a write, and what it overtakes happens whatever
///   the write is; a read that it overtakes would be left out by a recording (overtaken_reads.hpp), and a read is not
///   put off behind a check of a write that stays in the loop and may be of the same memory.
///
/// Departure: BigFoot has no rule about order, as it is for happens-before. Two reads that both decide (a merge of two
/// arrays) would have to be learned from first and judged then, in two phases, which a recorded trace cannot say; their
/// checks stay in the loop.
#pragma once

#include "llvm/IR/Function.h"

#include "capture/pass/loop_checks.hpp"

namespace omen::placement {

/// After `move_checks_out_of_loops`, which needs no bookkeeping in the loop.
bool defer_checks_of_loops(llvm::Function& function, const LoopAnalyses& analyses);

}  // namespace omen::placement
