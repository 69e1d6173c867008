/// \file
/// How far the instrumentation of a function has come. Several passes come by, in a pipeline that the compiler may run
/// twice (-ffat-lto-objects) and in the linker; so an attribute of the function says it, which no other pass looks at.
#pragma once

#include "llvm/IR/Function.h"

namespace omen::placement {

/// It has its checks, and nothing else of the instrumentation yet.
inline constexpr const char* kHasChecks = "omen-has-checks";
/// It has all, and is marked as not to be instrumented any more.
inline constexpr const char* kInstrumented = "omen-instrumented";
/// Besides, its checks were placed in all steps.
inline constexpr const char* kPlaced = "omen-placed";

/// Metadata of a load by which the program looks at the runtime's state (inlined_checks.hpp): no access of the
/// program's.
inline constexpr const char* kLook = "omen.look";
/// A check that is made where a look says so, and only there: an attribute of the call.
inline constexpr const char* kLooked = "omen-looked";

/// A call that was a barrier when the checks of its function were placed, of a function that this file does not define.
inline constexpr const char* kBarrier = "omen-barrier";

/// By one of the passes here.
inline bool is_instrumented(const llvm::Function& function) {
  return function.hasFnAttribute(kInstrumented);
}

inline bool is_to_be_instrumented(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::SanitizeThread) && !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

}  // namespace omen::placement
