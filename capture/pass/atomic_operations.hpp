/// \file
/// Atomic read-modify-writes for which the instrumentation has no callback (of floating-point numbers, minimum and
/// maximum, wrapping counters) and which it passes over: they become loops of compare-exchanges, which it knows.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

/// Whether something was changed.
bool expand_atomic_operations(llvm::Function& function);

}  // namespace omen::placement
