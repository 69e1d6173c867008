#include "capture/pass/sunk_checks.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <algorithm>
#include <optional>

#include "capture/pass/addresses.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/check_groups.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/source_lines.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// Blocks before one, in each of which a check may have to be made.
constexpr unsigned kMostWays = 4;
/// A check that has sunk may sink further.
constexpr unsigned kMostRounds = 4;

/// What no check may pass here: a barrier, another check, a call that may have one inside.
bool is_passable(const Instruction& instruction) {
  if (const auto* const call = dyn_cast<CallBase>(&instruction)) {
    return call->isDebugOrPseudoInst() || (isa<IntrinsicInst>(call) && call->doesNotAccessMemory());
  }
  return !is_barrier(instruction);
}

template <class Instructions>
std::optional<Check> first_check(Instructions&& instructions) {
  for (Instruction& instruction : instructions) {
    if (auto check = as_check(instruction)) {
      if (check->runs.empty() || check->length != nullptr || check->kind == Kind::ReadWrite) return std::nullopt;
      return check;
    }
    if (!is_passable(instruction)) return std::nullopt;
  }
  return std::nullopt;
}

/// Ends in branches whose edges can be split, to different blocks.
bool branches(const BasicBlock& block) {
  if (!isa<BranchInst, SwitchInst>(block.getTerminator())) return false;
  SmallPtrSet<const BasicBlock*, 4> known;
  return all_of(successors(&block), [&](const BasicBlock* each) { return known.insert(each).second; });
}

/// One way into a block, and what is checked on it.
struct Way {
  BasicBlock* from = nullptr;
  Value* base = nullptr;  ///< the address that follows is this one, and as many bytes more
  int64_t offset = 0;
  std::optional<Check> sinks;  ///< the last check before the branch, if the two become one
  int64_t distance = 0;        ///< of the second address from the first
  bool is_group = false;       ///< the two become one later, as a group
  bool is_covered = false;     ///< the last check before the branch is of these bytes: none is needed here
};

class Sinker {
 public:
  Sinker(Function& function, DominatorTree& dominators, LoopInfo& loops, ScalarEvolution& evolution)
      : function_(function), dominators_(dominators), loops_(loops), evolution_(evolution) {}

  bool run() {
    bool changed = false;
    for (unsigned round = 0; round < kMostRounds; ++round) {
      SmallVector<BasicBlock*, 32> blocks;
      for (BasicBlock& block : function_) blocks.push_back(&block);
      bool more = false;
      for (BasicBlock* const block : blocks) more |= join_before(*block);
      changed |= more;
      if (!more) break;
    }
    return changed;
  }

 private:
  bool join_before(BasicBlock& block) {
    if (block.isEHPad() || pred_empty(&block) || pred_size(&block) > kMostWays) return false;
    const auto follows = first_check(block);
    if (!follows) return false;
    SmallVector<Way, kMostWays> ways;
    for (BasicBlock* const from : predecessors(&block)) {
      auto way = way_from(*from, block, *follows);
      if (!way) return false;
      ways.push_back(std::move(*way));
    }
    if (none_of(ways, [](const Way& way) { return way.sinks || way.is_covered; })) return false;
    for (const Way& way : ways) make_checks(way, block, *follows);
    follows->call->eraseFromParent();
    return true;
  }

  std::optional<Way> way_from(BasicBlock& from, BasicBlock& block, const Check& follows) const {
    if (!branches(from) || !dominators_.isReachableFromEntry(&from)) return std::nullopt;
    Way way;
    way.from = &from;
    if (!translate(follows.address, block, way)) return std::nullopt;
    auto before = first_check(reverse(from));
    if (before && before->call != follows.call && becomes_one(*before, follows, way)) {
      way.is_covered = covers(*before, follows, way);
      if (!way.is_covered) way.sinks = std::move(before);
    }
    return way;
  }

  /// What the address is where the block is come to from there.
  static bool translate(Value* address, const BasicBlock& block, Way& way) {
    const DataLayout& layout = block.getModule()->getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
    if (auto* const defined = dyn_cast<Instruction>(base); defined != nullptr && defined->getParent() == &block) {
      auto* const phi = dyn_cast<PHINode>(defined);
      if (phi == nullptr) return false;
      base = phi->getIncomingValueForBlock(way.from);
    }
    way.base = base;
    way.offset = offset.getSExtValue();
    return true;
  }

  bool becomes_one(const Check& before, const Check& follows, Way& way) const {
    const Place one = place_of(before.address, evolution_);
    const Place other = place_of(way.base, evolution_);
    if (one.base == nullptr || one.base != other.base) return false;
    way.distance = other.offset + way.offset - one.offset;
    const Runs runs = runs_of(before, follows, way);
    if (runs.back().end - runs.front().begin > kMaskBytes) return false;
    const bool is_in_order =
        before.kind == Kind::Write || before.runs.back().end <= follows.runs.front().begin + way.distance;
    way.is_group =
        before.kind != follows.kind || !is_in_order || source_line(*before.call) != source_line(*follows.call);
    return !way.is_group || (can_have_groups(function_) && before.call->getDebugLoc() && follows.call->getDebugLoc());
  }

  static bool covers(const Check& before, const Check& follows, const Way& way) {
    if (before.kind == Kind::Read && follows.kind == Kind::Write) return false;
    return all_of(follows.runs, [&](const Run& run) {
      return any_of(before.runs, [&](const Run& other) {
        return other.begin <= run.begin + way.distance && run.end + way.distance <= other.end;
      });
    });
  }

  /// Of both, beside the address of the first.
  static Runs runs_of(const Check& before, const Check& follows, const Way& way) {
    Runs runs = before.runs;
    for (const Run& run : follows.runs) runs.push_back({run.begin + way.distance, run.end + way.distance});
    unite(runs);
    return runs;
  }

  void make_checks(const Way& way, BasicBlock& block, const Check& follows) {
    if (way.is_covered) return;
    if (!way.sinks) {
      IRBuilder<> builder(place_on(*way.from, block));
      make_following(builder, way, follows);
      return;
    }
    const Check& before = *way.sinks;
    SmallVector<BasicBlock*, 4> others(successors(way.from));
    for (BasicBlock* const other : others) {
      IRBuilder<> builder(place_on(*way.from, *other));
      builder.SetCurrentDebugLocation(before.call->getDebugLoc());
      if (other != &block || way.is_group) {
        make_check(builder, before.kind, before.address, before.runs, before.alignment);
        if (other == &block) make_following(builder, way, follows);
        continue;
      }
      const Runs runs = runs_of(before, follows, way);
      const int64_t begin = runs.front().begin;
      const Align alignment =
          std::max(begin == before.runs.front().begin ? before.alignment : Align(),
                   begin == follows.runs.front().begin + way.distance ? follows.alignment : Align());
      make_check(builder, before.kind, before.address, runs, alignment);
    }
    before.call->eraseFromParent();
  }

  /// With the address that it has on this way.
  static void make_following(IRBuilder<>& builder, const Way& way, const Check& follows) {
    builder.SetCurrentDebugLocation(follows.call->getDebugLoc());
    Value* const address = way.offset == 0
                               ? way.base
                               : builder.CreatePtrAdd(way.base, builder.getInt64(static_cast<uint64_t>(way.offset)));
    make_check(builder, follows.kind, address, follows.runs, follows.alignment);
  }

  /// Between the two blocks.
  Instruction* place_on(BasicBlock& from, BasicBlock& to) {
    if (from.getUniqueSuccessor() != nullptr) return from.getTerminator();
    if (to.getSinglePredecessor() != nullptr) return &*to.getFirstInsertionPt();
    // Given the loops, LLVM would also split the edges of other ways, where it restores dedicated exits.
    BasicBlock* const between = SplitCriticalEdge(&from, &to, CriticalEdgeSplittingOptions(&dominators_));
    assert(between != nullptr);
    Loop* loop = loops_.getLoopFor(&from);
    while (loop != nullptr && !loop->contains(&to)) loop = loop->getParentLoop();
    if (loop != nullptr) loop->addBasicBlockToLoop(between, loops_);
    return between->getTerminator();
  }

  Function& function_;
  DominatorTree& dominators_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
};

}  // namespace

bool sink_checks(Function& function, DominatorTree& dominators, LoopInfo& loops, ScalarEvolution& evolution) {
  return Sinker(function, dominators, loops, evolution).run();
}

}  // namespace omen::placement
