#include "capture/pass/loop_checks.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>

#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/overtaken_reads.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// What computing an address or a length may cost, once per loop: about what a few calls of the runtime cost.
constexpr unsigned kExpansionBudget = 64;

/// Names values that are there, in the place of expressions for them. Computing these once more costs more, and where
/// one divides, and the divisor may be zero, it is not allowed.
class NamedValues : public SCEVRewriteVisitor<NamedValues> {
 public:
  NamedValues(const Loop& loop, ScalarEvolution& evolution) : SCEVRewriteVisitor(evolution) {
    for (const BasicBlock* block : loop.blocks()) {
      for (const Instruction& instruction : *block) {
        for (Value* operand : instruction.operands()) {
          if (!isa<Instruction>(operand) || !operand->getType()->isIntegerTy(64) || !loop.isLoopInvariant(operand))
            continue;
          add(evolution.getSCEV(operand), operand);
        }
      }
    }
  }

  const SCEV* visit(const SCEV* expression) {
    const auto found = values_.find(expression);
    return found == values_.end() ? SCEVRewriteVisitor::visit(expression) : found->second;
  }

 private:
  /// Also what the value is but for a constant.
  void add(const SCEV* expression, Value* value) {
    const SCEV* const name = SE.getUnknown(value);
    values_.try_emplace(expression, name);
    const auto* const sum = dyn_cast<SCEVAddExpr>(expression);
    if (sum == nullptr || !isa<SCEVConstant>(sum->getOperand(0))) return;
    SmallVector<const SCEV*, 4> rest(drop_begin(sum->operands()));
    values_.try_emplace(SE.getAddExpr(rest), SE.getMinusSCEV(name, sum->getOperand(0)));
  }

  DenseMap<const SCEV*, const SCEV*> values_;
};

class LoopMover {
 public:
  LoopMover(Loop& loop, const LoopAnalyses& analyses)
      : loop_(loop), analyses_(analyses), evolution_(analyses.evolution) {}

  bool run() {
    if (!is_suitable()) return false;
    SmallVector<Check, 8> checks = checks_of_every_iteration();
    if (checks.empty()) return false;
    const bool had_preheader = loop_.getLoopPreheader() != nullptr;
    preheader_ = had_preheader
                     ? loop_.getLoopPreheader()
                     : InsertPreheaderForLoop(&loop_, &analyses_.dominators, &analyses_.loops, nullptr, false);
    if (preheader_ == nullptr) return false;
    if (!had_preheader) evolution_.forgetTopmostLoop(&loop_);
    bool changed = !had_preheader;
    for (const Check& check : checks) changed |= move_invariant(check) || replace_by_range(check);
    return changed;
  }

 private:
  /// Whether a thread that enters the loop comes to its exit, without a barrier on the way.
  bool is_suitable() const {
    if (loop_.getLoopLatch() == nullptr || loop_.hasNoExitBlocks()) return false;
    for (const BasicBlock* block : loop_.blocks()) {
      for (const Instruction& instruction : *block) {
        if (is_barrier(instruction)) return false;
      }
    }
    const Loop& loop = loop_;
    return all_of(loop.getLoopsInPreorder(), [&](const Loop* each) { return ends(*each); });  // itself and inner ones
  }

  /// A loop that has to make progress, and does nothing that can be observed, ends.
  bool ends(const Loop& loop) const {
    if (evolution_.hasLoopInvariantBackedgeTakenCount(&loop)) return true;
    return isMustProgress(&loop) && none_of(loop.blocks(), [](const BasicBlock* block) {
             return any_of(*block, [](const Instruction& each) { return effects_of(each).is_observable; });
           });
  }

  /// In the order in which an iteration makes them. Blocks of every iteration dominate the latch and every exit; so
  /// they are on one path of the tree of dominators.
  SmallVector<Check, 8> checks_of_every_iteration() const {
    SmallVector<BasicBlock*, 8> exiting;
    loop_.getExitingBlocks(exiting);
    SmallVector<BasicBlock*, 8> path;
    for (auto* node = analyses_.dominators.getNode(loop_.getLoopLatch());; node = node->getIDom()) {
      path.push_back(node->getBlock());
      if (node->getBlock() == loop_.getHeader()) break;
    }
    SmallVector<Check, 8> checks;
    for (BasicBlock* block : reverse(path)) {
      if (analyses_.loops.getLoopFor(block) != &loop_) continue;  // an inner loop, which makes it several times
      if (!all_of(exiting, [&](BasicBlock* exit) { return analyses_.dominators.dominates(block, exit); })) break;
      for (Instruction& instruction : *block) {
        if (auto check = as_check(instruction)) checks.push_back(std::move(*check));
      }
    }
    return checks;
  }

  bool is_invariant(Value* value) const {
    return loop_.isLoopInvariant(value) ||
           (evolution_.isSCEVable(value->getType()) && evolution_.isLoopInvariant(evolution_.getSCEV(value), &loop_));
  }

  Instruction* place() const { return preheader_->getTerminator(); }

  bool can_compute(SCEVExpander& expander, ArrayRef<const SCEV*> expressions) const {
    return all_of(expressions, [&](const SCEV* each) { return expander.isSafeToExpandAt(each, place()); }) &&
           !expander.isHighCostExpansion(expressions, &loop_, kExpansionBudget, &analyses_.target, place());
  }

  SCEVExpander expander() const { return SCEVExpander(evolution_, preheader_->getDataLayout(), "placed"); }

  bool move_invariant(const Check& check) {
    Value* const length = check.length;
    if (!is_invariant(check.address) || (length != nullptr && !is_invariant(length))) return false;
    SCEVExpander computing = expander();
    SmallVector<std::pair<unsigned, const SCEV*>, 2> computed;
    for (unsigned at = 0; at < check.call->arg_size(); ++at) {
      Value* const operand = check.call->getArgOperand(at);
      if (!loop_.isLoopInvariant(operand)) computed.push_back({at, evolution_.getSCEV(operand)});
    }
    for (const auto& [at, expression] : computed) {
      if (!can_compute(computing, expression)) return false;
    }
    for (const auto& [at, expression] : computed) {
      Type* const type = check.call->getArgOperand(at)->getType();
      check.call->setArgOperand(at, computing.expandCodeFor(expression, type, place()));
    }
    if (kind_ahead(check) == check.kind) {
      check.call->moveBefore(place());
      return true;
    }
    IRBuilder<> builder(place());
    builder.SetCurrentDebugLocation(check.call->getDebugLoc());
    Value* const address = check.call->getArgOperand(0);
    if (length != nullptr) {
      make_range_check(builder, Kind::ReadWrite, address, check.call->getArgOperand(1));
    } else {
      make_read_write_checks(builder, address, check.runs, check.alignment);
    }
    check.call->eraseFromParent();
    return true;
  }

  /// What a check is to be of when it stands before the loop.
  Kind kind_ahead(const Check& check) const {
    const bool overtakes =
        check.kind == Kind::Write && OvertakenReads(analyses_.aliases, evolution_).exist_in(loop_, check);
    return overtakes ? Kind::ReadWrite : check.kind;
  }

  /// How often the loop is left by way of its latch, in 64 bits; null if nobody can tell.
  const SCEV* repetitions() const {
    const SCEV* const count = evolution_.getBackedgeTakenCount(&loop_);
    if (isa<SCEVCouldNotCompute>(count)) return nullptr;
    Type* const wide = Type::getInt64Ty(preheader_->getContext());
    if (evolution_.getTypeSizeInBits(count->getType()) > 64) return nullptr;
    return evolution_.getNoopOrZeroExtend(count, wide);
  }

  /// What the address is computed from and is there before the loop: a row of a matrix, mostly. The way from there is
  /// short, where the whole address may be costly to compute again. Null if there is no such value.
  Value* anchor_of(Value* address) const {
    while (!loop_.isLoopInvariant(address)) {
      auto* const step = dyn_cast<GEPOperator>(address);
      if (step == nullptr) return nullptr;
      address = step->getPointerOperand();
    }
    return address;
  }

  const SCEV* distance(Value* address, Value* anchor) const {
    return evolution_.getMinusSCEV(evolution_.getSCEV(address), evolution_.getSCEV(anchor));
  }

  struct Range {
    const SCEV* begin = nullptr;
    const SCEV* length = nullptr;
  };

  bool replace_by_range(const Check& check) {
    if (!evolution_.isSCEVable(check.address->getType())) return false;
    Value* const anchor = anchor_of(check.address);
    const auto* series = dyn_cast<SCEVAddRecExpr>(anchor == nullptr ? evolution_.getSCEV(check.address)
                                                                    : distance(check.address, anchor));
    if (series == nullptr || series->getLoop() != &loop_ || !series->isAffine()) return false;
    const SCEV* const repeated = repetitions();
    if (repeated == nullptr || !evolution_.isLoopInvariant(repeated, &loop_)) return false;

    SmallVector<Range, 2> ranges;
    if (check.length != nullptr) {
      ranges.push_back(range_of_ranges(*series, *check.length, repeated));
    } else {
      for (const Run& run : check.runs) ranges.push_back(range_of_runs(*series, run, repeated));
    }
    SCEVExpander computing = expander();
    NamedValues named(loop_, evolution_);
    if (any_of(ranges, [](const Range& range) { return range.begin == nullptr; })) {
      return replace_by_strides(check, *series, repeated, anchor, computing, named);
    }
    for (Range& range : ranges) {
      range = {named.visit(range.begin), named.visit(range.length)};
      if (!can_compute(computing, {range.begin, range.length})) return false;
    }
    const Kind kind = kind_ahead(check);
    for (const Range& range : ranges) {
      Value* begin = computing.expandCodeFor(range.begin, range.begin->getType(), place());
      Value* const length = computing.expandCodeFor(range.length, range.length->getType(), place());
      IRBuilder<> builder(place());
      if (anchor != nullptr) begin = builder.CreatePtrAdd(anchor, begin);
      builder.SetCurrentDebugLocation(check.call->getDebugLoc());
      make_range_check(builder, kind, begin, length);
    }
    check.call->eraseFromParent();
    return true;
  }

  /// Bytes within 64, with others between those of two iterations: as many places as iterations.
  bool replace_by_strides(const Check& check, const SCEVAddRecExpr& series, const SCEV* repeated, Value* anchor,
                          SCEVExpander& computing, NamedValues& named) {
    if (check.runs.empty() || check.runs.back().end - check.runs.front().begin > kMaskBytes) return false;
    const int64_t first = check.runs.front().begin;
    const SCEV* const begin = named.visit(evolution_.getAddExpr(series.getStart(), constant(first)));
    const SCEV* const count = named.visit(evolution_.getAddExpr(repeated, constant(1)));
    const SCEV* const stride = named.visit(series.getStepRecurrence(evolution_));
    if (evolution_.getTypeSizeInBits(stride->getType()) != 64) return false;
    if (!can_compute(computing, {begin, count, stride})) return false;
    const Kind kind = kind_ahead(check);
    const auto value = [&](const SCEV* of) { return computing.expandCodeFor(of, of->getType(), place()); };
    Value* address = value(begin);
    Value* const times = value(count);
    Value* const step = value(stride);
    IRBuilder<> builder(place());
    if (anchor != nullptr) address = builder.CreatePtrAdd(anchor, address);
    builder.SetCurrentDebugLocation(check.call->getDebugLoc());
    make_strided_check(builder, kind, address, times, step, builder.getInt64(mask_of(check.runs, first)));
    check.call->eraseFromParent();
    return true;
  }

  /// The steps are not longer than the run, so that nothing is left out between two of them. No sum or product here
  /// overflows: all these bytes are accessed.
  Range range_of_runs(const SCEVAddRecExpr& series, const Run& run, const SCEV* repeated) const {
    const auto* known = dyn_cast<SCEVConstant>(series.getStepRecurrence(evolution_));
    if (known == nullptr) return {};
    const int64_t step = known->getAPInt().getSExtValue();
    const int64_t stride = step < 0 ? -step : step;
    if (stride > run.size() || stride <= 0) return {};
    const SCEV* const last = step < 0 ? series.evaluateAtIteration(repeated, evolution_) : series.getStart();
    const SCEV* const begin = evolution_.getAddExpr(last, constant(run.begin));
    const SCEV* const moved = evolution_.getMulExpr(repeated, constant(stride));
    return {begin, evolution_.getAddExpr(moved, constant(run.size()))};
  }

  /// The ranges of an inner loop, each of which begins where the one before has ended.
  Range range_of_ranges(const SCEVAddRecExpr& series, Value& length, const SCEV* repeated) const {
    const SCEV* const each = evolution_.getSCEV(&length);
    const SCEV* const step = series.getStepRecurrence(evolution_);
    if (each != step || !evolution_.isLoopInvariant(each, &loop_)) return {};
    return {series.getStart(), evolution_.getMulExpr(evolution_.getAddExpr(repeated, constant(1)), each)};
  }

  const SCEV* constant(int64_t value) const {
    return evolution_.getConstant(Type::getInt64Ty(preheader_->getContext()), static_cast<uint64_t>(value), true);
  }

  Loop& loop_;
  const LoopAnalyses& analyses_;
  ScalarEvolution& evolution_;
  BasicBlock* preheader_ = nullptr;
};

}  // namespace

bool move_checks_out_of_loops(Function& function, const LoopAnalyses& analyses) {
  const ReversePostOrderTraversal<Function*> order(&function);
  if (containsIrreducibleCFG<BasicBlock*>(order, analyses.loops)) return false;
  bool changed = false;
  auto loops = analyses.loops.getLoopsInPreorder();
  for (Loop* loop : reverse(loops)) changed |= LoopMover(*loop, analyses).run();
  return changed;
}

}  // namespace omen::placement
