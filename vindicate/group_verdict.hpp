/// \file
/// One verdict for a group of candidate pairs, which stand at the same two source locations: a race if one of them is;
/// no race only if it is known that none of them is.
///
/// The pairs are asked in the group's order, within a budget of its own. The first few are asked in any case; then one
/// goes on while there is work left to spend. Pairs that the cheap steps decide cost next to nothing, so of those many
/// thousand are asked; a pair that needs the exact step may take as much as the rest. Rounds grow as long as pairs are
/// cheap, since pairs that are asked together share what is dear on long traces.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {

/// How far a group is followed. None of it is a clock.
struct GroupBudget {
  /// So many pairs of each group are asked, whatever they take.
  static constexpr std::uint64_t kAsked = 8;

  std::uint64_t pairs = kKeptPairs;  ///< of a group, at most
  std::uint64_t work = 0;            ///< after the first `kAsked` pairs, in `Verdict::work`
  std::optional<Methods> methods{};  ///< the steps that are taken; none: those of the confirmer

  /// `window` as for `Budget::of`: with the default, a group may take 2 * 10^8 visits of an event, all of them together
  /// 4 * 10^9. `pairs`: at most so many of each group; 0: as many as are kept.
  static GroupBudget of(std::uint64_t window, std::size_t groups, std::uint64_t pairs = 0);
};

struct GroupVerdict {
  Verdict verdict;            ///< of the race; else of the pair that says most of why there is none, or none is known
  std::uint64_t count = 0;    ///< of the pairs in the group
  std::uint64_t decided = 0;  ///< pairs that are known to be no race, or the race
};

/// One verdict per group, in their order. Calls `on_decided(n)` when n more groups are done. Once `is_stopped()` no
/// more pairs are asked: what is left is unknown.
std::vector<GroupVerdict> confirm_groups(const Confirmer& confirmer, std::span<const CandidateGroup> groups,
                                         const GroupBudget& budget,
                                         const std::function<void(std::size_t)>& on_decided = {},
                                         const std::function<bool()>& is_stopped = {});

}  // namespace omen::vindicate
