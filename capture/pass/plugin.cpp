/// \file
/// The plugins of clang. All instrument each function as ThreadSanitizer does, by that very pass, and add what that
/// pass leaves out. One of them then makes fewer and larger checks of what came out, before the compiler makes vectors
/// and copies of loops; one records values before.
///
/// Plugins come before clang's own instrumentation, which would find its work done and do it again. So a function that
/// was instrumented here is marked as not to be instrumented any more. What clang does for a whole module is left to
/// it. The rules are BigFoot's (Rhodes, Flanagan, Freund, PLDI 2017, sections 2 and 3); barriers.hpp says how they
/// appear here.
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

#include <optional>

#include "capture/abi/pass_mark.hpp"
#include "capture/abi/version.hpp"
#include "capture/pass/atomic_operations.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/departures.hpp"
#include "capture/pass/inlined_checks.hpp"
#include "capture/pass/inlined_frames.hpp"
#include "capture/pass/instrumented.hpp"
#include "capture/pass/missing_checks.hpp"
#include "capture/pass/options.hpp"
#include "capture/pass/placed_checks.hpp"
#include "capture/pass/prefetched_shadow.hpp"
#include "capture/pass/private_checks.hpp"
#include "capture/pass/summaries.hpp"
#include "capture/pass/updates.hpp"
#include "capture/pass/value_records.hpp"
#include "capture/pass/verification.hpp"

namespace omen::placement {
namespace {

using namespace llvm;

constexpr bool kPlacesChecks = OMEN_PLACES_CHECKS;

bool are_placed_in(const Function& function) {
  return kPlacesChecks && !function.hasOptNone();
}

void instrument(Function& function, FunctionAnalysisManager& analyses) {
  mark_assembly(function);
  if (expand_atomic_operations(function)) analyses.invalidate(function, PreservedAnalyses::none());
  const MissingChecks missing(function);
  std::optional<PrivateChecks> needless;
  if (are_placed_in(function)) needless.emplace(function, analyses.getResult<TargetLibraryAnalysis>(function));
  analyses.invalidate(function, ThreadSanitizerPass().run(function, analyses));
  missing.add();
  if (needless) needless->remove();
  if (!OMEN_RECORDS_VALUES) mark_updates(function);  // values say more
  if (are_placed_in(function)) {
    if (verifies()) tell_of_accesses(function);
    place_checks(function, analyses);
    if (verifies()) tell_of_checks(function);
  }
  say_that_checks_are_needed(function);
}

/// For the linker, which may know more of the functions of other files (linking_plugin.cpp).
void note_calls_of_other_files(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<CallBase>(&instruction);
    const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration() || callee->getName().starts_with("__tsan_")) continue;
    if (is_barrier(*call)) call->addFnAttr(Attribute::get(call->getContext(), kBarrier));
  }
}

/// What makes code that no pass has to understand any more.
void finish_placed(Function& function) {
  prefetch_shadow(function);
  if (!verifies()) inline_checks(function);
  inline_frames(function);
}

/// Where checks are placed: before the compiler makes vectors and copies of loops, so that the checks are those of the
/// loop as it was written, and a range is one, not one for the vectors and one for the rest.
struct EarlyInstrumentation : PassInfoMixin<EarlyInstrumentation> {
  static bool isRequired() { return true; }

  static PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    if (!is_to_be_instrumented(function) || !are_placed_in(function) || steps() != Steps::BigFoot)
      return PreservedAnalyses::all();
    instrument(function, analyses);
    function.addFnAttr(kHasChecks);
    return PreservedAnalyses::none();
  }
};

/// Required: functions that are not to be optimised are to be instrumented nevertheless, but as ThreadSanitizer does
/// it.
struct Instrumentation : PassInfoMixin<Instrumentation> {
  static bool isRequired() { return true; }

  static PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    if (is_instrumented(function)) return PreservedAnalyses::all();
    if (!is_to_be_instrumented(function)) {
      return mark_entry(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    if (!function.hasFnAttribute(kHasChecks)) instrument(function, analyses);
    function.removeFnAttr(kHasChecks);
    function.addFnAttr(kInstrumented);
    if (are_placed_in(function)) {
      finish_placed(function);
      if (steps() == Steps::BigFoot) {
        function.addFnAttr(kPlaced);
        note_calls_of_other_files(function);
      }
    }
    function.addFnAttr(Attribute::DisableSanitizerInstrumentation);
    return PreservedAnalyses::none();
  }
};

/// Of the module as it is before the first function is instrumented.
struct Summaries : PassInfoMixin<Summaries> {
  static constexpr const char* kSummarised = "omen.summarised";

  static bool isRequired() { return true; }

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (module.getNamedMetadata(kSummarised) != nullptr) return PreservedAnalyses::all();
    summarise(module, analyses);
    module.getOrInsertNamedMetadata(kSummarised);
    return PreservedAnalyses::all();
  }
};

struct Marked : PassInfoMixin<Marked> {
  static constexpr const char* kMarked = "omen.marked";

  static bool isRequired() { return true; }

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    if (module.getNamedMetadata(kMarked) != nullptr) return PreservedAnalyses::all();
    module.getOrInsertNamedMetadata(kMarked);
    say_that_it_is_marked(module);
    module.appendModuleInlineAsm(abi::kVersionReference);
    module.appendModuleInlineAsm(abi::kPassMark);
    return PreservedAnalyses::none();
  }
};

}  // namespace
}  // namespace omen::placement

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "omen", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            if (omen::placement::kPlacesChecks) {
              builder.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                passes.addPass(omen::placement::Summaries());
              });
              builder.registerVectorizerStartEPCallback(
                  [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
                    if (level != llvm::OptimizationLevel::O0) passes.addPass(omen::placement::EarlyInstrumentation());
                  });
            }
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              if (omen::placement::kPlacesChecks) passes.addPass(omen::placement::Summaries());
              if (OMEN_RECORDS_VALUES) passes.addPass(omen::placement::ValueRecords());
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(omen::placement::Instrumentation()));
              passes.addPass(omen::placement::Marked());
            });
          }};
}
