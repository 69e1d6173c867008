#include "capture/pass/placed_checks.hpp"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include "capture/pass/checks.hpp"
#include "capture/pass/coalesced_checks.hpp"
#include "capture/pass/compound_checks.hpp"
#include "capture/pass/deferred_checks.hpp"
#include "capture/pass/grouped_checks.hpp"
#include "capture/pass/loop_checks.hpp"
#include "capture/pass/options.hpp"
#include "capture/pass/redundant_checks.hpp"
#include "capture/pass/sunk_checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// The checks of a function.
template <class What>
void for_each_check(Function& function, What what) {
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (is_check_function(call->getCalledFunction()->getName())) what(*call);
  }
}

/// Checks always return, and change nothing that the program sees. The instrumentation does not say so, and how often a
/// loop runs is known only if nothing in it can end it otherwise, and if it may not run for ever without effect.
void say_that_checks_are_quiet(Function& function) {
  for_each_check(function, [](CallInst& call) {
    call.addFnAttr(Attribute::WillReturn);
    call.setDoesNotThrow();
    call.setDoesNotAccessMemory();
  });
}

void move_and_join_checks(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto& aliases = analyses.getResult<AAManager>(function);
  join_reads_with_writes(function, evolution);
  coalesce_checks(function, evolution, aliases);
  const LoopAnalyses of_loops{loops, analyses.getResult<DominatorTreeAnalysis>(function), evolution, aliases,
                              analyses.getResult<TargetIRAnalysis>(function)};
  if (move_checks_out_of_loops(function, of_loops)) {
    // They may meet others there.
    remove_redundant_checks(function, loops, evolution);
    coalesce_checks(function, evolution, aliases);
  }
  defer_checks_of_loops(function, of_loops);
  sink_checks(function, of_loops.dominators, loops, evolution);
  group_checks(function, evolution, aliases);
}

}  // namespace

void say_that_checks_are_needed(Function& function) {
  for_each_check(function, [](CallInst& call) {
    call.removeFnAttr(Attribute::Memory);
    call.addFnAttr(Attribute::NoMerge);
    call.setTailCallKind(CallInst::TCK_NoTail);
  });
}

void place_checks(Function& function, FunctionAnalysisManager& analyses) {
  say_that_checks_are_quiet(function);
  remove_redundant_checks(function, analyses.getResult<LoopAnalysis>(function),
                          analyses.getResult<ScalarEvolutionAnalysis>(function));
  if (steps() == Steps::BigFoot) move_and_join_checks(function, analyses);
}

}  // namespace omen::placement
