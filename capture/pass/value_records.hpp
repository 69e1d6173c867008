/// \file
/// Records of values (docs/native.md): what an interpreter needs to run each thread again along the way that it went.
///
/// Each instrumented function says when it is entered, and with which arguments if code that is not instrumented may
/// call it; and the results of loads from memory that others may know, of calls, and of what the interpreter does not
/// compute: floats, vectors, assembly. What follows from these is left out. Instructions whose result is recorded have
/// the metadata `abi::kRecordedMark`.
///
/// Invariant: the module's bitcode, with the calls that record and before ThreadSanitizer's, is in the section
/// `.omen.bc`. A function is known by the number that it says itself, so it does not matter which copy of an inline
/// function the linker takes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace omen::placement {

struct ValueRecords : llvm::PassInfoMixin<ValueRecords> {
  static bool isRequired() { return true; }
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace omen::placement
