/// \file
/// In loops without barriers the program looks itself whether a check repeats an earlier one, and calls only if not.
///
/// There no epoch ends, so nearly all that a loop checks more than once is a repetition. Elsewhere many checks are the
/// first of their epoch; the call would come anyway, and the code be longer.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

/// The last that is done with checks: what they are in the end is known.
void inline_checks(llvm::Function& function);

}  // namespace omen::placement
