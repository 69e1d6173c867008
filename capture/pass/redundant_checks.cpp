#include "capture/pass/redundant_checks.hpp"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"

#include <vector>

#include "capture/pass/addresses.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// "These bytes were checked": what is or is not available at a place in the function.
struct Fact {
  const SCEV* base = nullptr;
  Run bytes;
  const SCEV* length = nullptr;  ///< of a range of computed length from bytes.begin
  bool written = false;

  bool operator==(const Fact& other) const {
    return base == other.base && bytes.begin == other.bytes.begin && bytes.end == other.bytes.end &&
           length == other.length && written == other.written;
  }
  bool implies(const Fact& other) const {
    if (base != other.base || length != other.length || (other.written && !written)) return false;
    if (length != nullptr) return bytes.begin == other.bytes.begin;
    return bytes.begin <= other.bytes.begin && other.bytes.end <= bytes.end;
  }
};

/// Available facts, forward, those that hold on all paths: the must-analysis over the blocks, and then over the checks
/// of each block.
class Availability {
 public:
  Availability(Function& function, const LoopInfo& loops, ScalarEvolution& evolution)
      : function_(function), loops_(loops), evolution_(evolution), order_(&function) {}

  bool remove() {
    collect();
    if (facts_.empty()) return false;
    find_implied();
    if (!containsIrreducibleCFG<BasicBlock*>(order_, loops_)) solve();
    return remove_available();
  }

 private:
  using Numbers = SmallVector<unsigned, 2>;

  void collect() {
    for (BasicBlock* block : order_) {
      for (Instruction& instruction : *block) {
        if (const auto check = as_check(instruction)) {
          collect(*check, check->kind == Kind::ReadWrite);
        } else if (const auto update = as_update(instruction)) {
          collect(*update, false);
          updates_.insert(&instruction);
        }
      }
    }
  }

  /// With `also_read`, what is known of a write does not do: an update may have come in between.
  void collect(const Check& check, bool also_read) {
    const Place place = place_of(check.address, evolution_);
    if (place.base == nullptr) return;
    Fact fact{place.base, {}, nullptr, check.kind != Kind::Read};
    Numbers numbers;
    if (check.length != nullptr) {
      fact.bytes.begin = place.offset;
      fact.length = evolution_.getSCEV(check.length);
      numbers.push_back(number_of(fact));
      if (also_read) numbers.push_back(number_of(as_read(fact)));
    }
    for (const Run& run : check.runs) {
      fact.bytes = {place.offset + run.begin, place.offset + run.end};
      numbers.push_back(number_of(fact));
      if (also_read) numbers.push_back(number_of(as_read(fact)));
    }
    checks_[check.call] = std::move(numbers);
  }

  static Fact as_read(Fact fact) {
    fact.written = false;
    return fact;
  }

  unsigned number_of(const Fact& fact) {
    Numbers& same_base = by_base_[fact.base];
    for (const unsigned number : same_base) {
      if (facts_[number] == fact) return number;
    }
    facts_.push_back(fact);
    same_base.push_back(static_cast<unsigned>(facts_.size() - 1));
    return same_base.back();
  }

  void find_implied() {
    implied_.resize(facts_.size());
    written_.resize(static_cast<unsigned>(facts_.size()));
    for (unsigned i = 0; i < facts_.size(); ++i) {
      if (facts_[i].written) written_.set(i);
      for (const unsigned j : by_base_[facts_[i].base]) {
        if (facts_[i].implies(facts_[j])) implied_[i].push_back(j);
      }
    }
  }

  void make(const Numbers& numbers, BitVector& available) const {
    for (const unsigned number : numbers) {
      for (const unsigned other : implied_[number]) available.set(other);
    }
  }

  void pass(const BasicBlock& block, BitVector& available) const {
    for (const Instruction& instruction : block) {
      if (updates_.contains(&instruction)) {
        available &= written_;
      } else if (const auto found = checks_.find(&instruction); found != checks_.end()) {
        make(found->second, available);
      } else if (ends_validity(instruction)) {
        available.reset();
      }
    }
  }

  /// What does not hold any more when a loop begins another iteration: its base is another value then. (Where loops are
  /// all there is that goes back, no such fact comes into the loop from before it, so none is lost.)
  const BitVector& varying_in(const Loop* loop) {
    auto [at, is_new] = varying_.try_emplace(loop);
    if (is_new) {
      at->second.resize(static_cast<unsigned>(facts_.size()));
      for (unsigned i = 0; i < facts_.size(); ++i) {
        const bool varies = !evolution_.isLoopInvariant(facts_[i].base, loop) ||
                            (facts_[i].length != nullptr && !evolution_.isLoopInvariant(facts_[i].length, loop));
        if (varies) at->second.set(i);
      }
    }
    return at->second;
  }

  BitVector at_begin_of(BasicBlock& block) {
    BitVector available(static_cast<unsigned>(facts_.size()), &block != &function_.getEntryBlock());
    const Loop* const loop = loops_.getLoopFor(&block);
    for (BasicBlock* before : predecessors(&block)) {
      const auto found = after_.find(before);
      if (found == after_.end()) continue;  // nobody gets there
      available &= found->second;
      if (loop != nullptr && loop->getHeader() == &block && loop->contains(before)) available.reset(varying_in(loop));
    }
    return available;
  }

  void solve() {
    // A call's effects are the same in every round, so they are found once.
    struct Effect {
      BitVector keeps;
      BitVector makes;
    };
    const unsigned count = static_cast<unsigned>(facts_.size());
    DenseMap<const BasicBlock*, Effect> effects;
    for (BasicBlock* block : order_) {
      Effect effect{BitVector(count, true), BitVector(count)};
      pass(*block, effect.makes);
      for (const Instruction& instruction : *block) {
        if (updates_.contains(&instruction)) effect.keeps &= written_;
        if (ends_validity(instruction)) effect.keeps.reset();
      }
      effects[block] = std::move(effect);
      after_[block] = BitVector(count, true);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : order_) {
        BitVector available = at_begin_of(*block);
        const Effect& effect = effects[block];
        available &= effect.keeps;
        available |= effect.makes;
        if (available != after_[block]) {
          after_[block] = std::move(available);
          changed = true;
        }
      }
    }
    solved_ = true;
  }

  bool remove_available() {
    SmallVector<Instruction*, 16> redundant;
    for (BasicBlock* block : order_) {
      BitVector available(static_cast<unsigned>(facts_.size()));
      if (solved_) available = at_begin_of(*block);
      for (Instruction& instruction : *block) {
        const auto found = checks_.find(&instruction);
        if (found == checks_.end()) {
          if (ends_validity(instruction)) available.reset();
          continue;
        }
        if (all_of(found->second, [&](unsigned number) { return available.test(number); }))
          redundant.push_back(&instruction);
        if (updates_.contains(&instruction)) {
          available &= written_;
        } else {
          make(found->second, available);
        }
      }
    }
    for (Instruction* instruction : redundant) instruction->eraseFromParent();
    return !redundant.empty();
  }

  Function& function_;
  const LoopInfo& loops_;
  ScalarEvolution& evolution_;
  ReversePostOrderTraversal<Function*> order_;
  std::vector<Fact> facts_;
  std::vector<SmallVector<unsigned, 4>> implied_;
  DenseMap<const SCEV*, Numbers> by_base_;
  DenseMap<const Instruction*, Numbers> checks_;
  /// Redundant as a write is. They make no facts, as what is read of them afterwards matters; nor do reads from before
  /// hold behind them, of what may be the same memory.
  SmallPtrSet<const Instruction*, 8> updates_;
  BitVector written_;  ///< the facts of writes
  DenseMap<const BasicBlock*, BitVector> after_;
  DenseMap<const Loop*, BitVector> varying_;
  bool solved_ = false;
};

}  // namespace

bool remove_redundant_checks(Function& function, const LoopInfo& loops, ScalarEvolution& evolution) {
  return Availability(function, loops, evolution).remove();
}

}  // namespace omen::placement
