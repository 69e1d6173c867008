/// \file
/// Functions of the C library that neither synchronise nor free nor wait, always come back and keep no address that
/// they are given: those of memory, strings, characters and numbers. The runtime replaces some, and records what they
/// access at the place of the call; that is no order either.
///
/// Not among them: what reads or writes files (it may wait), what allocates (a program may have functions of its own
/// for that, with locks in them), and what calls back.
#pragma once

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace omen::placement {

/// By its name and type; false for a function of that name with a body, and where the compiler was told not to know it.
bool is_quiet_library_function(const llvm::Function& function, const llvm::TargetLibraryInfo& library);

/// Whether it may return an address that it was given.
bool returns_argument(const llvm::Function& function);

}  // namespace omen::placement
