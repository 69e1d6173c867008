/// \file
/// The order in which the checks of a function are placed: what is redundant goes, what is left is joined, moved out of
/// loops, put off behind them, and joined again. The compiler does it for each function, and the linker once more
/// (linking_plugin.cpp).
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace omen::placement {

/// The checks are as the instrumentation made them, or as they were placed before with less known of the calls between
/// them.
void place_checks(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// Behind it: the compiler goes on, and would drop what changes nothing. A check stays where it is in the program,
/// which is the line that a report names: two of them do not become one, and none a jump.
void say_that_checks_are_needed(llvm::Function& function);

}  // namespace omen::placement
