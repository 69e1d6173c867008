/// \file
/// Makes one check of several, in one block and between barriers: those of one kind and of one source line whose
/// addresses differ by constants. It stands where the first of them stood, and names exactly their bytes.
///
/// BigFoot, section 3: the later accesses are *anticipated* at the first one. The line is the same, so a report names
/// the line that it would have named. A check of writes that overtakes a read of the same memory becomes one of both
/// (overtaken_reads.hpp).
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

bool coalesce_checks(llvm::Function& function, llvm::ScalarEvolution& evolution, llvm::AAResults& aliases);

}  // namespace omen::placement
