/// \file
/// Marks where control leaves instrumented code inside an instrumented translation unit: functions with
/// no_sanitize("thread"), and inline assembly (docs/capture.md, "Leaving instrumented code"). A mark is a call of
/// `__omen_leave`. For indirect calls omen-cc asks the compiler for thunks.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace omen::placement {

/// For a function that is not instrumented: its first instruction, if it may touch memory other than its frame and
/// constants. True: it was changed.
bool mark_entry(llvm::Function& function);

/// Before assembly that may touch memory other than the frame.
void mark_assembly(llvm::Function& function);

/// The module says that its functions have their marks, unless some cannot have them: what clang's own options made of
/// indirect calls, and functions in assembly of the file.
void say_that_it_is_marked(llvm::Module& module);

}  // namespace omen::placement
