/// \file
/// Moves checks out of loops without barriers, to the preheader: a check of the same bytes in every iteration as it is,
/// one that goes along an array as one check of a range, or of places with equal steps between them (a column, one
/// member of each structure).
///
/// Only checks that every iteration makes: their accesses are sure to happen once the loop is entered, as often as
/// scalar evolution says (BigFoot, section 3, anticipated accesses, before the loop instead of behind it: nothing has
/// to be known of how it ends). From the inside to the outside, so that a range can leave several loops, or become a
/// larger one.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

struct LoopAnalyses {
  llvm::LoopInfo& loops;
  llvm::DominatorTree& dominators;
  llvm::ScalarEvolution& evolution;
  llvm::AAResults& aliases;
  const llvm::TargetTransformInfo& target;
};

bool move_checks_out_of_loops(llvm::Function& function, const LoopAnalyses& analyses);

}  // namespace omen::placement
