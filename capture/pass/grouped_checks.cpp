#include "capture/pass/grouped_checks.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <vector>

#include "capture/pass/addresses.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/check_groups.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/overtaken_reads.hpp"
#include "capture/pass/source_lines.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// A member is moved ahead over no more instructions; keeps the search for what it overtakes short.
constexpr unsigned kFarthest = 256;

struct Member {
  Check check;
  int64_t offset = 0;  ///< of its address from the base of its group
};

/// Checks that may become one.
struct Group {
  const SCEV* base = nullptr;
  unsigned first_at = 0;  ///< the number of the first member's instruction in its block
  int64_t begin = 0;      ///< of all members, from the base
  int64_t end = 0;
  SmallVector<Member, 4> members;  ///< in the order of the program
};

class Grouper {
 public:
  Grouper(ScalarEvolution& evolution, AAResults& aliases) : evolution_(evolution), overtaken_(aliases, evolution) {}

  bool run(BasicBlock& block) {
    groups_.clear();
    first_open_ = 0;
    unsigned at = 0;
    for (Instruction& instruction : block) {
      ++at;
      if (auto check = as_check(instruction)) {
        add(std::move(*check), at);
      } else if (is_barrier(instruction) || as_update(instruction)) {
        first_open_ = groups_.size();
      }
    }
    bool changed = false;
    for (const Group& group : groups_) changed |= replace(group);
    return changed;
  }

 private:
  void add(Check check, unsigned at) {
    if (check.runs.empty() || check.length != nullptr || !check.call->getDebugLoc()) return;
    const Place place = place_of(check.address, evolution_);
    if (place.base == nullptr) return;
    const int64_t begin = place.offset + check.runs.front().begin;
    const int64_t end = place.offset + check.runs.back().end;
    if (end - begin > kMaskBytes) return;
    for (size_t number = groups_.size(); number-- > first_open_;) {
      Group& group = groups_[number];
      if (group.base != place.base || at - group.first_at > kFarthest) continue;
      if (std::max(end, group.end) - std::min(begin, group.begin) > kMaskBytes || overtakes(check, group)) continue;
      group.begin = std::min(begin, group.begin);
      group.end = std::max(end, group.end);
      group.members.push_back({std::move(check), place.offset});
      return;
    }
    groups_.push_back({place.base, at, begin, end, {{std::move(check), place.offset}}});
  }

  /// A read outside the group, on the way to the first member.
  bool overtakes(const Check& check, const Group& group) {
    if (check.kind == Kind::Read) return false;
    const auto is_member = [&](const Instruction& each) {
      return any_of(group.members, [&](const Member& member) { return member.check.call == &each; });
    };
    return overtaken_.exist_before(check, *group.members.front().check.call, is_member);
  }

  static bool replace(const Group& group) {
    if (group.members.size() < 2) return false;
    SmallVector<GroupMember, 4> members;
    const Member& first = group.members.front();
    for (const Member& each : group.members) {
      Runs runs = each.check.runs;
      for (Run& run : runs) {
        run.begin += each.offset;
        run.end += each.offset;
      }
      const GroupMember member{mask_of(runs, group.begin), false, each.check.call->getDebugLoc()};
      if (each.check.kind != Kind::Write) add(members, member, false);
      if (each.check.kind != Kind::Read) add(members, member, true);
    }
    IRBuilder<> builder(first.check.call);  // with its debug location
    const int64_t ahead = group.begin - first.offset;
    Value* const base = ahead == 0
                            ? first.check.address
                            : builder.CreatePtrAdd(first.check.address, builder.getInt64(static_cast<uint64_t>(ahead)));
    if (members.size() == 1) {
      make_mask_check(builder, members.front().is_write ? Kind::Write : Kind::Read, base,
                      builder.getInt64(members.front().mask));
    } else {
      make_group(builder, base, members);
    }
    for (const Member& member : group.members) member.check.call->eraseFromParent();
    return true;
  }

  /// Neighbours of one line and one kind are one, if they are in the order of their addresses, in which a mask is
  /// looked at.
  static void add(SmallVectorImpl<GroupMember>& members, GroupMember member, bool is_write) {
    member.is_write = is_write;
    if (!members.empty() && members.back().is_write == is_write &&
        static_cast<unsigned>(countr_zero(member.mask)) > Log2_64(members.back().mask) &&
        source_line(*members.back().line) == source_line(*member.line)) {
      members.back().mask |= member.mask;
    } else {
      members.push_back(member);
    }
  }

  ScalarEvolution& evolution_;
  OvertakenReads overtaken_;
  std::vector<Group> groups_;  ///< of one block
  size_t first_open_ = 0;      ///< those from here on are since the last barrier
};

}  // namespace

bool group_checks(Function& function, ScalarEvolution& evolution, AAResults& aliases) {
  if (!can_have_groups(function)) return false;
  bool changed = false;
  Grouper grouper(evolution, aliases);
  for (BasicBlock& block : function) changed |= grouper.run(block);
  return changed;
}

}  // namespace omen::placement
