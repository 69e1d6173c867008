/// \file
/// The plugin of the linker: LLVM's lld, which has the code of several files together with -flto. The compiler has
/// instrumented all of it, and placed the checks of each function by what its own file says. Here what calls may do
/// (summaries.hpp) is found once more, over all files, and the checks are placed once more in functions in which a call
/// is no barrier any more. Whatever linker does without it has a program that is as right, with more checks.
///
/// With -flto=thin a function of another file is here if the linker imports it, which it does with small ones.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/Local.h"

#include "capture/pass/barriers.hpp"
#include "capture/pass/inlined_checks.hpp"
#include "capture/pass/instrumented.hpp"
#include "capture/pass/placed_checks.hpp"
#include "capture/pass/summaries.hpp"
#include "capture/pass/verification.hpp"

namespace omen::placement {
namespace {

using namespace llvm;

/// One of its calls was a barrier, and is none any more.
bool has_fewer_barriers(Function& function) {
  return any_of(instructions(function), [](const Instruction& each) {
    const auto* const call = dyn_cast<CallBase>(&each);
    return call != nullptr && call->hasFnAttr(kBarrier) && !is_barrier(each);
  });
}

/// Where the instrumentation does not know whether a call throws it makes one that leaves the function's frame if it
/// does. For a function that returns, as is known now, that is a way out of each loop which nobody takes. (Not by an
/// equal body of it: it is the program that changes.)
bool remove_ways_of_exceptions(Function& function) {
  SmallVector<InvokeInst*, 8> needless;
  for (Instruction& each : instructions(function)) {
    auto* const call = dyn_cast<InvokeInst>(&each);
    if (call != nullptr && call->hasFnAttr(kBarrier) && call->getCalledFunction()->isDefinitionExact() &&
        !effects_of(each).may_not_return)
      needless.push_back(call);
  }
  for (InvokeInst* const call : needless) changeToCall(call);
  if (!needless.empty()) removeUnreachableBlocks(function);
  return !needless.empty();
}

void place_again(Function& function, FunctionAnalysisManager& analyses) {
  const bool verifies = tells_of_accesses(function);
  if (verifies) forget_checks(function);
  place_checks(function, analyses);
  if (verifies) {
    tell_of_checks(function);
  } else {
    inline_checks(function);
  }
  say_that_checks_are_needed(function);
  analyses.invalidate(function, PreservedAnalyses::none());
}

struct PlacementAcrossFiles : PassInfoMixin<PlacementAcrossFiles> {
  static constexpr const char* kPlacedAcrossFiles = "omen.placed_across_files";

  static bool isRequired() { return true; }

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (module.getNamedMetadata(kPlacedAcrossFiles) != nullptr) return PreservedAnalyses::all();
    module.getOrInsertNamedMetadata(kPlacedAcrossFiles);
    auto& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    summarise(module, analyses, [&](Function& function) {
      if (remove_ways_of_exceptions(function)) of_functions.invalidate(function, PreservedAnalyses::none());
    });
    for (Function& function : module) {
      if (!function.isDeclaration() && function.hasFnAttribute(kPlaced) && has_fewer_barriers(function))
        place_again(function, of_functions);
    }
    return PreservedAnalyses::none();
  }
};

void add_placement(ModulePassManager& passes, OptimizationLevel level) {
  if (level != OptimizationLevel::O0) passes.addPass(PlacementAcrossFiles());
}

}  // namespace
}  // namespace omen::placement

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "omen", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            builder.registerFullLinkTimeOptimizationEarlyEPCallback(omen::placement::add_placement);
            builder.registerPipelineEarlySimplificationEPCallback(omen::placement::add_placement);  // -flto=thin
          }};
}
