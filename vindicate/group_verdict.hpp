/// \file
/// One verdict for a group of candidate pairs at the same two source locations: a race if one of them is; no race only
/// if all of them are known to be none.
///
/// The pairs are decided in the group's order, within a budget of its own. The first few are always decided; the others
/// as long as there is work left to spend. Pairs that the cheap steps decide cost next to nothing, so many thousands of
/// those are decided; a pair that needs the exact step may take as much as the rest. Rounds grow as long as pairs are
/// cheap, since pairs that are decided together share the expensive work on long traces.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {

/// The limits of a group. None of them is a time.
struct GroupBudget {
  /// How many pairs of each group are always decided.
  static constexpr std::uint64_t kAsked = 8;

  std::uint64_t pairs = kKeptPairs;  ///< at most this many of a group
  std::uint64_t work = 0;            ///< after the first `kAsked` pairs, in `Verdict::work`
  std::optional<Methods> methods{};  ///< the steps to use; none: those of the confirmer

  /// `window` as for `Budget::of`: with the default, a group may take 2 * 10^8 visits of an event, all of them together
  /// 4 * 10^9. `pairs`: at most this many of each group; 0: all that are kept.
  static GroupBudget of(std::uint64_t window, std::size_t groups, std::uint64_t pairs = 0);
};

struct GroupVerdict {
  Verdict verdict;            ///< of the race; else of the pair whose verdict is the most informative
  std::uint64_t count = 0;    ///< the number of pairs in the group
  std::uint64_t decided = 0;  ///< pairs that are known to be no race, plus the race
};

/// One verdict per group, in their order. Calls `on_decided(n)` when n more groups are done. After `is_stopped()` no
/// more pairs are decided: the rest is unknown.
std::vector<GroupVerdict> confirm_groups(const Confirmer& confirmer, std::span<const CandidateGroup> groups,
                                         const GroupBudget& budget,
                                         const std::function<void(std::size_t)>& on_decided = {},
                                         const std::function<bool()>& is_stopped = {});

}  // namespace omen::vindicate
