/// \file
/// What calling a function does, found bottom-up over the call graph of a module: its effects (barriers.hpp), and which
/// of the addresses that it is given it keeps.
///
/// LLVM infers the like, but nothing of functions whose body another file may replace by an equal one: inline
/// functions, member functions in classes, templates. Here such a body speaks for its equals: what it may do is in the
/// program's text, which is the same for all of them. A body that may be replaced by another one (weak symbols, shared
/// libraries) says nothing.
///
/// A summary is an attribute of the function, which no other pass looks at. Within a cycle of calls the effects are
/// those of all its functions, and none of them is sure to return.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <optional>

#include "capture/pass/barriers.hpp"

namespace omen::placement {

/// `before` is called with each function before its body is looked at, when all that it calls has its summary.
void summarise(
    llvm::Module& module, llvm::ModuleAnalysisManager& analyses,
    llvm::function_ref<void(llvm::Function&)> before = [](llvm::Function&) {});

/// None: nothing is known beyond LLVM's own attributes.
std::optional<Effects> summary_of(const llvm::Function& function);

/// Whether the address stays unknown to everybody once the call is over: not stored, not returned.
bool keeps_no_address(const llvm::Function& function, unsigned argument);

}  // namespace omen::placement
