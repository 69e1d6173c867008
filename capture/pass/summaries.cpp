#include "capture/pass/summaries.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <string>

#include "capture/pass/instrumented.hpp"
#include "capture/pass/library_functions.hpp"
#include "capture/pass/reachable_memory.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr const char* kEffects = "omen-effects";
constexpr const char* kKeepsNot = "omen-keeps-not";

void set_summary(Function& function, const Effects& effects) {
  std::string text = "=";
  if (effects.synchronises) text += 's';
  if (effects.frees) text += 'f';
  if (effects.may_not_return) text += 'w';
  if (effects.is_observable) text += 'o';
  function.addFnAttr(kEffects, text);
}

/// Whether what is in the body is what a call does. Without instrumentation it is not: it calls the runtime first.
bool body_speaks(const Function& function) {
  return !function.isDeclaration() &&
         (function.isDefinitionExact() || function.hasLinkOnceODRLinkage() || function.hasWeakODRLinkage() ||
          function.hasAvailableExternallyLinkage()) &&
         (is_to_be_instrumented(function) || is_instrumented(function));
}

/// What the instrumentation calls at the beginning and end of a body that it has been through. No check is moved over
/// it there; to who calls the function it is nothing.
bool is_frame_function(const Function& function) {
  return function.getName() == "__tsan_func_entry" || function.getName() == "__tsan_func_exit";
}

/// The functions of one cycle of calls, or one function.
class Component {
 public:
  Component(ArrayRef<CallGraphNode*> nodes, bool is_cycle, FunctionAnalysisManager& analyses)
      : is_cycle_(is_cycle), analyses_(analyses) {
    for (CallGraphNode* const node : nodes) {
      if (node->getFunction() != nullptr) functions_.insert(node->getFunction());
    }
  }

  void summarise() {
    Effects all;
    for (Function* const function : functions_) {
      if (function->isDeclaration()) {
        if (is_quiet_library_function(*function, analyses_.getResult<TargetLibraryAnalysis>(*function)))
          set_quiet(*function);
        return;  // a declaration calls nothing
      }
      if (!body_speaks(*function)) return;
      all |= effects_of_body(*function);
    }
    all.may_not_return |= is_cycle_;
    for (Function* const function : functions_) {
      set_summary(*function, all);
      if (!is_cycle_) find_kept_addresses(*function);
    }
  }

 private:
  static void set_quiet(Function& function) {
    set_summary(function, {});
    if (returns_argument(function)) return;
    for (Argument& argument : function.args()) {
      if (argument.getType()->isPointerTy()) function.addParamAttr(argument.getArgNo(), keeps_not(function));
    }
  }

  static Attribute keeps_not(const Function& function) { return Attribute::get(function.getContext(), kKeepsNot); }

  Effects effects_of_body(Function& function) {
    Effects effects;
    for (const Instruction& instruction : instructions(function)) {
      const auto* const call = dyn_cast<CallBase>(&instruction);
      const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && (functions_.contains(callee) || is_frame_function(*callee))) continue;
      effects |= effects_of(instruction);
    }
    effects.may_not_return = effects.may_not_return || may_loop_for_ever(function);
    return effects;
  }

  bool may_loop_for_ever(Function& function) {
    auto& loops = analyses_.getResult<LoopAnalysis>(function);
    const ReversePostOrderTraversal<Function*> order(&function);
    if (containsIrreducibleCFG<BasicBlock*>(order, loops)) return true;
    return any_of(loops.getLoopsInPreorder(), [&](Loop* loop) { return may_go_on_for_ever(*loop, function); });
  }

  bool may_go_on_for_ever(const Loop& loop, Function& function) {
    if (analyses_.getResult<ScalarEvolutionAnalysis>(function).hasLoopInvariantBackedgeTakenCount(&loop)) return false;
    return !isMustProgress(&loop) || any_of(loop.blocks(), [](const BasicBlock* block) {
      return any_of(*block, [](const Instruction& each) { return effects_of(each).is_observable; });
    });
  }

  static void find_kept_addresses(Function& function) {
    for (Argument& argument : function.args()) {
      if (argument.getType()->isPointerTy() && !is_given_away(argument))
        function.addParamAttr(argument.getArgNo(), keeps_not(function));
    }
  }

  bool is_cycle_;
  FunctionAnalysisManager& analyses_;
  SmallPtrSet<Function*, 4> functions_;
};

}  // namespace

void summarise(Module& module, ModuleAnalysisManager& analyses, function_ref<void(Function&)> before) {
  auto& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  CallGraph graph(module);
  for (auto at = scc_begin(&graph); !at.isAtEnd(); ++at) {
    for (const CallGraphNode* const node : *at) {
      if (node->getFunction() != nullptr && !node->getFunction()->isDeclaration()) before(*node->getFunction());
    }
    Component(*at, at.hasCycle(), of_functions).summarise();
  }
}

std::optional<Effects> summary_of(const Function& function) {
  const Attribute attribute = function.getFnAttribute(kEffects);
  if (!attribute.isValid()) return std::nullopt;
  const StringRef text = attribute.getValueAsString();
  return Effects{text.contains('s'), text.contains('f'), text.contains('w'), text.contains('o')};
}

bool keeps_no_address(const Function& function, unsigned argument) {
  return argument < function.arg_size() && function.getAttributes().hasParamAttr(argument, kKeepsNot);
}

}  // namespace omen::placement
