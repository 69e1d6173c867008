#include "capture/pass/deferred_checks.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>
#include <optional>

#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/deciding_loads.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// Bytes of one check that wait to be checked, at most, but for one iteration's.
constexpr uint64_t kMostPending = 1 << 15;

/// What computing where a loop begins may cost.
constexpr unsigned kExpansionBudget = 16;

struct Deferred {
  Check check;
  const SCEVAddRecExpr* series = nullptr;
  int64_t step = 0;
  bool decides = false;
  Value* first = nullptr;  ///< where the loop begins: the end of memory that stays while the loop goes on
  Value* last = nullptr;   ///< how far an iteration comes, at its check

  bool upwards() const { return step > 0; }
  /// Memory without gaps, to be looked at upwards.
  bool is_range() const {
    return check.runs.size() == 1 && (upwards() ? step : -step) <= check.runs.front().size() && (upwards() || !decides);
  }
};

/// The order in which those of a loop are committed.
int rank(const Deferred& deferred) {
  if (deferred.check.kind == Kind::Write) return 3;
  if (deferred.check.kind == Kind::ReadWrite) return deferred.decides ? 0 : 2;
  return deferred.decides ? 0 : 1;
}

class LoopDeferrer {
 public:
  LoopDeferrer(Loop& loop, const LoopAnalyses& analyses)
      : loop_(loop), analyses_(analyses), evolution_(analyses.evolution) {}

  bool run() {
    if (!is_suitable()) return false;
    collect();
    leave_what_has_to_stay();
    if (deferred_.empty()) return false;
    std::ranges::stable_sort(deferred_, {}, rank);
    formDedicatedExitBlocks(&loop_, &analyses_.dominators, &analyses_.loops, nullptr, false);
    if (!loop_.hasDedicatedExits()) return true;
    for (Deferred& each : deferred_) note_progress(each);
    commit();
    evolution_.forgetLoop(&loop_);
    return true;
  }

 private:
  /// Not a loop around others. Nor one that other threads may see at work (relaxed atomic operations, volatile
  /// accesses): they may end the program for what they see.
  bool is_suitable() const {
    if (!loop_.isInnermost() || loop_.getLoopLatch() == nullptr || loop_.getLoopPreheader() == nullptr ||
        loop_.hasNoExitBlocks() || loop_.getLoopLatch()->getTerminator()->getNumSuccessors() > 2) {
      return false;
    }
    return none_of(loop_.blocks(), [](const BasicBlock* block) {
      return any_of(*block,
                    [](const Instruction& each) { return is_barrier(each) || effects_of(each).is_observable; }) ||
             !isa<BranchInst, SwitchInst>(block->getTerminator());
    });
  }

  /// What every whole iteration checks, each where the one before has ended.
  void collect() {
    for (BasicBlock* const block : loop_.blocks()) {
      const bool is_always_done = analyses_.dominators.dominates(block, loop_.getLoopLatch());
      for (Instruction& instruction : *block) {
        auto check = as_check(instruction);
        if (!check) {
          note_other(instruction);
        } else if (std::optional<Deferred> deferred; is_always_done && (deferred = as_deferred(*check))) {
          deferred_.push_back(std::move(*deferred));
        } else {
          staying_.push_back(std::move(*check));
        }
      }
    }
  }

  std::optional<Deferred> as_deferred(const Check& check) const {
    if (check.runs.empty() || check.length != nullptr) return std::nullopt;
    if (!evolution_.isSCEVable(check.address->getType())) return std::nullopt;
    const auto* const series = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(check.address));
    if (series == nullptr || series->getLoop() != &loop_ || !series->isAffine()) return std::nullopt;
    const auto* const known = dyn_cast<SCEVConstant>(series->getStepRecurrence(evolution_));
    if (known == nullptr) return std::nullopt;
    const int64_t step = known->getAPInt().getSExtValue();
    if (step == 0 || check.runs.back().end - check.runs.front().begin > kMaskBytes) return std::nullopt;
    SCEVExpander computing = expander();
    if (!computing.isSafeToExpandAt(series->getStart(), place()) ||
        computing.isHighCostExpansion(series->getStart(), &loop_, kExpansionBudget, &analyses_.target, place())) {
      return std::nullopt;
    }
    Deferred deferred;
    deferred.check = check;
    deferred.series = series;
    deferred.step = step;
    return deferred;
  }

  /// What else the recorder, or the detector, comes to know of in the loop.
  void note_other(Instruction& instruction) {
    if (const auto* const call = dyn_cast<CallBase>(&instruction)) {
      if (!isa<IntrinsicInst>(call) || !call->doesNotAccessMemory()) {
        if (!call->isDebugOrPseudoInst() && !call->isLifetimeStartOrEnd())
          calls_.push_back(&cast<CallBase>(instruction));
      }
    }
  }

  bool may_be_written(const Check& read) const {
    const MemoryLocation place = MemoryLocation::getBeforeOrAfter(read.address);
    return any_of(staying_,
                  [&](const Check& check) {
                    return check.kind == Kind::Write &&
                           !analyses_.aliases.isNoAlias(place, MemoryLocation::getBeforeOrAfter(check.address));
                  }) ||
           any_of(calls_, [&](const CallBase* call) { return isModSet(analyses_.aliases.getModRefInfo(call, place)); });
  }

  /// See the head of the header.
  void leave_what_has_to_stay() {
    const DecidingLoads deciding(loop_, analyses_.aliases);
    unsigned decide = 0;
    for (Deferred& each : deferred_) {
      each.decides = each.check.kind != Kind::Write && deciding.are_checked_by(each.check, evolution_);
      decide += each.decides ? 1 : 0;
    }
    const bool is_alone = decide <= 1 && staying_.empty() && calls_.empty();
    llvm::erase_if(deferred_, [&](const Deferred& each) {
      if (each.check.kind == Kind::Write) return false;
      return (each.decides && !is_alone) || (each.check.kind == Kind::Read && may_be_written(each.check));
    });
  }

  SCEVExpander expander() const { return SCEVExpander(evolution_, place()->getModule()->getDataLayout(), "placed"); }

  Instruction* place() const { return loop_.getLoopPreheader()->getTerminator(); }

  /// In the place of the check: how far it has come.
  void note_progress(Deferred& deferred) {
    const Run& run = deferred.check.runs.front();
    SCEVExpander computing = expander();
    const SCEV* const start = deferred.series->getStart();
    Value* const address = deferred.check.address;
    Value* begin = computing.expandCodeFor(start, address->getType(), place());
    IRBuilder<> before(place());
    IRBuilder<> here(deferred.check.call);
    if (deferred.is_range()) {
      deferred.first = offset(before, begin, deferred.upwards() ? run.begin : run.end);
      deferred.last = offset(here, address, deferred.upwards() ? run.end : run.begin);
    } else {
      deferred.first = offset(before, begin, run.begin);
      deferred.last = offset(here, address, run.begin + deferred.step);
    }
  }

  static Value* offset(IRBuilder<>& builder, Value* address, int64_t by) {
    return by == 0 ? address : builder.CreatePtrAdd(address, builder.getInt64(static_cast<uint64_t>(by)));
  }

  static Value* length_between(IRBuilder<>& builder, const Deferred& deferred, Value* first, Value* last) {
    Type* const word = builder.getInt64Ty();
    Value* const one = builder.CreatePtrToInt(deferred.upwards() ? first : last, word);
    Value* const other = builder.CreatePtrToInt(deferred.upwards() ? last : first, word);
    return builder.CreateSub(other, one);
  }

  static void check_between(Instruction* place, const Deferred& deferred, Value* first, Value* last) {
    IRBuilder<> builder(place);
    const Check& check = deferred.check;
    builder.SetCurrentDebugLocation(check.call->getDebugLoc());
    Value* const length = length_between(builder, deferred, first, last);
    if (deferred.is_range()) {
      make_range_check(builder, check.kind, deferred.upwards() ? first : last, length);
      return;
    }
    const uint64_t step = static_cast<uint64_t>(deferred.upwards() ? deferred.step : -deferred.step);
    Value* const count = builder.CreateExactUDiv(length, builder.getInt64(step));
    make_strided_check(builder, check.kind, first, count, builder.getInt64(static_cast<uint64_t>(deferred.step)),
                       builder.getInt64(mask_of(check.runs, check.runs.front().begin)));
  }

  /// In the latch, when much is pending, and in the exits.
  void commit() {
    BasicBlock* const preheader = loop_.getLoopPreheader();
    Instruction* const end = loop_.getLoopLatch()->getTerminator();
    IRBuilder<> builder(end);
    // What is pending of the first one; the others go along with it. Its value is known when the loop is complete.
    Instruction* const pending =
        cast<Instruction>(builder.Insert(new FreezeInst(PoisonValue::get(builder.getInt64Ty()))));
    Value* const is_much = builder.CreateICmpUGE(pending, builder.getInt64(kMostPending));
    MDNode* const unlikely = MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
    DomTreeUpdater updater(analyses_.dominators, DomTreeUpdater::UpdateStrategy::Eager);
    Instruction* const commits = SplitBlockAndInsertIfThen(is_much, end, false, unlikely, &updater, &analyses_.loops);
    SmallVector<BasicBlock*, 4> exits;
    loop_.getUniqueExitBlocks(exits);
    for (Deferred& each : deferred_) {
      SSAUpdater first;
      SSAUpdater last;
      first.Initialize(each.check.address->getType(), "omen.pending");
      last.Initialize(each.check.address->getType(), "omen.reached");
      first.AddAvailableValue(preheader, each.first);
      first.AddAvailableValue(commits->getParent(), each.last);
      last.AddAvailableValue(preheader, each.first);
      last.AddAvailableValue(each.check.call->getParent(), each.last);
      // The loop goes one way through its blocks, so this is where it was when the iteration began.
      Value* const from = first.GetValueInMiddleOfBlock(pending->getParent());
      check_between(commits, each, from, each.last);
      if (&each == deferred_.begin()) {
        IRBuilder<> here(pending);
        pending->replaceAllUsesWith(length_between(here, each, from, each.last));
      }
      for (BasicBlock* const exit : exits) {
        Value* const begin = first.GetValueInMiddleOfBlock(exit);
        Value* const reached = last.GetValueInMiddleOfBlock(exit);
        exit_checks_.push_back({exit, &each, begin, reached});
      }
    }
    pending->eraseFromParent();
    for (const ExitCheck& each : exit_checks_) {
      Instruction* const place = &*each.exit->getFirstInsertionPt();
      check_between(place_behind_exit_checks(place), *each.deferred, each.begin, each.reached);
    }
    for (const Deferred& each : deferred_) each.check.call->eraseFromParent();
  }

  /// Those of one exit in their order.
  Instruction* place_behind_exit_checks(Instruction* place) {
    Instruction*& at = next_place_[place->getParent()];
    if (at == nullptr) at = place;
    return at;
  }

  struct ExitCheck {
    BasicBlock* exit;
    const Deferred* deferred;
    Value* begin;
    Value* reached;
  };

  Loop& loop_;
  const LoopAnalyses& analyses_;
  ScalarEvolution& evolution_;
  SmallVector<Deferred, 4> deferred_;
  SmallVector<Check, 8> staying_;
  SmallVector<CallBase*, 4> calls_;  ///< with events inside, or whose own check is elsewhere
  SmallVector<ExitCheck, 8> exit_checks_;
  DenseMap<const BasicBlock*, Instruction*> next_place_;
};

}  // namespace

bool defer_checks_of_loops(Function& function, const LoopAnalyses& analyses) {
  const ReversePostOrderTraversal<Function*> order(&function);
  if (containsIrreducibleCFG<BasicBlock*>(order, analyses.loops)) return false;
  bool changed = false;
  for (Loop* const loop : analyses.loops.getLoopsInPreorder()) changed |= LoopDeferrer(*loop, analyses).run();
  return changed;
}

}  // namespace omen::placement
