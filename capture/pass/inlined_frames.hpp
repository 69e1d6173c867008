/// \file
/// The program keeps the thread's shadow call stack itself: entering and leaving a function are a few stores, and a
/// call only where the stack has to be mended, or there is none.
///
/// Every function that is called is entered and left. As calls, both would also have the function's arguments kept in
/// registers that it has to save first.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

void inline_frames(llvm::Function& function);

}  // namespace omen::placement
