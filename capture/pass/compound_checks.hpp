/// \file
/// Makes one check of a read and a write of the same memory on the same line, in one block and between barriers: `x -=
/// y * z` reads x and writes it. The instrumentation does that itself where nothing is called in between; here,
/// arithmetic that looks like a call is no obstacle. The read stays known: recording a trace needs it. For the detector
/// in the running program the write is all.
#pragma once

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

bool join_reads_with_writes(llvm::Function& function, llvm::ScalarEvolution& evolution);

}  // namespace omen::placement
