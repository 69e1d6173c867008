#include "capture/pass/coalesced_checks.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "capture/pass/addresses.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/overtaken_reads.hpp"
#include "capture/pass/source_lines.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

struct Member {
  Check check;
  int64_t offset = 0;  ///< of its address from the base of its group

  int64_t begin() const { return offset + check.runs.front().begin; }
  int64_t end() const { return offset + check.runs.back().end; }
};

using Members = SmallVector<Member, 8>;

/// What the members of a group have in common.
using Key = std::tuple<const SCEV*, Kind, SourceLine>;

/// Whether an address of this base goes ahead by just so many bytes in each iteration: what is checked of it may become
/// a range before the loop.
bool steps_by(const SCEV* base, int64_t bytes, ScalarEvolution& evolution) {
  const auto* series = dyn_cast<SCEVAddRecExpr>(base);
  if (series == nullptr || !series->isAffine()) return false;
  const auto* step = dyn_cast<SCEVConstant>(series->getStepRecurrence(evolution));
  return step != nullptr && step->getAPInt().abs() == static_cast<uint64_t>(bytes);
}

class Group {
 public:
  Group(const SCEV* base, ScalarEvolution& evolution, AAResults& aliases)
      : base_(base), evolution_(&evolution), aliases_(&aliases) {}

  void add(Member member) { members_.push_back(std::move(member)); }

  bool coalesce() {
    if (members_.size() < 2) return false;
    // By addresses; those at the same one in the order of the program, in which the members are.
    SmallVector<Member*, 8> order;
    for (Member& member : members_) order.push_back(&member);
    std::ranges::sort(order, {}, [](const Member* member) { return std::pair(member->begin(), member); });
    bool changed = false;
    for (size_t begin = 0; begin < order.size();) {
      const size_t end = end_of_piece(order, begin);
      if (end - begin > 1) {
        replace(ArrayRef(order).slice(begin, end - begin));
        changed = true;
      }
      begin = end;
    }
    return changed;
  }

 private:
  /// The first of a piece in the order of the program: there the new check stands.
  static const Member& first_of(ArrayRef<Member*> piece) {
    return **std::ranges::min_element(
        piece, [](const Member* a, const Member* b) { return a->check.call->comesBefore(b->check.call); });
  }

  static Runs runs_of(ArrayRef<Member*> piece) {
    Runs runs;
    for (const Member* member : piece) {
      for (const Run& run : member->check.runs) runs.push_back({member->offset + run.begin, member->offset + run.end});
    }
    unite(runs);
    return runs;
  }

  /// Of the byte at an offset from the group's base.
  static Align alignment_at(int64_t offset, ArrayRef<Member*> piece) {
    Align best;
    for (const Member* member : piece) {
      best = std::max(best, commonAlignment(member->check.alignment, static_cast<uint64_t>(offset - member->offset)));
    }
    return best;
  }

  bool is_possible(ArrayRef<Member*> piece) const {
    const Runs runs = runs_of(piece);
    const Kind kind = piece.front()->check.kind;
    if (has_function(kind, runs, alignment_at(runs.front().begin, piece))) return true;
    return kind == Kind::ReadWrite && runs.size() == 1 && steps_by(base_, runs.front().size(), *evolution_);
  }

  /// As many as one call can name.
  size_t end_of_piece(ArrayRef<Member*> order, size_t begin) const {
    size_t best = begin + 1;
    for (size_t end = begin + 2; end <= order.size(); ++end) {
      if (is_possible(order.slice(begin, end - begin))) best = end;
      if (order[end - 1]->begin() - order[begin]->begin() > kFarthest) break;
    }
    return best;
  }

  bool overtakes_reads(ArrayRef<Member*> piece, const Member& first) const {
    OvertakenReads overtaken(*aliases_, *evolution_);
    return first.check.kind == Kind::Write && any_of(piece, [&](const Member* member) {
             return overtaken.exist_before(member->check, *first.check.call);
           });
  }

  void replace(ArrayRef<Member*> piece) {
    const Member& first = first_of(piece);
    Runs runs = runs_of(piece);
    const Align alignment = alignment_at(runs.front().begin, piece);
    for (Run& run : runs) {
      run.begin -= first.offset;
      run.end -= first.offset;
    }
    IRBuilder<> builder(first.check.call);  // with its debug location
    if (overtakes_reads(piece, first)) {
      make_read_write_checks(builder, first.check.address, runs, alignment);
    } else if (has_function(first.check.kind, runs, alignment)) {
      make_check(builder, first.check.kind, first.check.address, runs, alignment);
    } else {
      make_range_check(
          builder, first.check.kind,
          builder.CreatePtrAdd(first.check.address, builder.getInt64(static_cast<uint64_t>(runs.front().begin))),
          builder.getInt64(static_cast<uint64_t>(runs.front().size())));
    }
    for (const Member* member : piece) member->check.call->eraseFromParent();
  }

  static constexpr int64_t kFarthest = 4096;  // keeps the search for pieces short

  const SCEV* base_;
  ScalarEvolution* evolution_;
  AAResults* aliases_;
  Members members_;
};

class Segments {
 public:
  Segments(ScalarEvolution& evolution, AAResults& aliases) : evolution_(evolution), aliases_(aliases) {}

  bool coalesce(BasicBlock& block) {
    for (Instruction& instruction : block) {
      if (auto check = as_check(instruction)) {
        add(std::move(*check));
      } else if (is_barrier(instruction)) {
        open_.clear();
      } else if (as_update(instruction)) {
        close_reads();
      }
    }
    bool changed = false;
    for (Group& group : groups_) changed |= group.coalesce();
    groups_.clear();
    open_.clear();
    return changed;
  }

 private:
  /// A read behind an update may see what came of it, so the value of the update matters.
  void close_reads() {
    std::erase_if(open_, [](const auto& group) { return std::get<Kind>(group.first) != Kind::Write; });
  }

  void add(Check check) {
    if (check.runs.empty()) return;
    const Place place = place_of(check.address, evolution_);
    if (place.base == nullptr) return;
    const auto [at, is_new] = open_.insert({Key{place.base, check.kind, source_line(*check.call)}, groups_.size()});
    if (is_new) groups_.emplace_back(place.base, evolution_, aliases_);
    groups_[at->second].add({std::move(check), place.offset});
  }

  ScalarEvolution& evolution_;
  AAResults& aliases_;
  std::map<Key, size_t> open_;  ///< the groups since the last barrier
  std::vector<Group> groups_;
};

}  // namespace

bool coalesce_checks(Function& function, ScalarEvolution& evolution, AAResults& aliases) {
  bool changed = false;
  for (BasicBlock& block : function) changed |= Segments(evolution, aliases).coalesce(block);
  return changed;
}

}  // namespace omen::placement
