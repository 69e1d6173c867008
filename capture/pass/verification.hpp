/// \file
/// Has a program tell the runtime of each access beside its checks, so that a run shows whether the checks are precise
/// (capture/runtime/dispatch/verified_placement.hpp): before the checks are placed, the address, bytes, kind and line
/// of each original check; when they are placed, those of each check that is left.
///
/// The original calls name accesses as the instrumentation sees them. What it leaves out, and what private_checks.hpp
/// takes away, is not among them.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

/// Before the checks are placed. Placement does not see these calls.
void tell_of_accesses(llvm::Function& function);

/// Behind it. No check may look itself then whether it is needed: the runtime would not be told.
void tell_of_checks(llvm::Function& function);

/// Whether the function tells of its accesses, and not yet, or not any more, of its checks.
bool tells_of_accesses(const llvm::Function& function);

/// Before its checks are placed once more: takes back what `tell_of_checks` did.
void forget_checks(llvm::Function& function);

}  // namespace omen::placement
