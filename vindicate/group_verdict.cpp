#include "vindicate/group_verdict.hpp"

#include <algorithm>
#include <utility>

namespace omen::vindicate {
namespace {

/// A group that is being decided.
class Inquiry {
 public:
  Inquiry(const CandidateGroup& group, const GroupBudget& budget) : group_(group), budget_(budget) {
    result_.count = group.count;
    limit_ = static_cast<std::size_t>(std::min<std::uint64_t>(group.pairs.size(), budget.pairs));
  }

  /// How many pairs to decide next; 0: done.
  std::size_t wanted(std::size_t most) const {
    if (result_.verdict.outcome == Outcome::Race || asked_ == limit_) return 0;
    if (asked_ < GroupBudget::kAsked) return 1;
    if (work_ >= budget_.work) return 0;
    const std::uint64_t affordable = (budget_.work - work_) / (work_ / asked_ + 1) / 2;
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(std::min<std::uint64_t>(affordable, asked_), 1, std::min(most, limit_ - asked_)));
  }

  std::span<const Pair> next(std::size_t n) const { return std::span(group_.pairs).subspan(asked_, n); }

  void take(Verdict verdict) {
    work_ += verdict.work;
    if (result_.verdict.outcome == Outcome::Race && asked_ != 0) return;
    if (verdict.outcome != Outcome::Unknown) ++result_.decided;
    const bool excluded = verdict.outcome == Outcome::NoRace;
    under_ca_ |= excluded && verdict.under_ca;
    if (asked_++ == 0 || says_more(verdict, result_.verdict)) result_.verdict = std::move(verdict);
  }

  GroupVerdict finish() && {
    Verdict& verdict = result_.verdict;
    if (asked_ == 0) {
      verdict.pair = group_.pairs.front();
      verdict.ran_out = "time";
    }
    if (verdict.outcome == Outcome::NoRace) {
      verdict.under_ca = under_ca_;
      if (result_.decided < result_.count) {
        verdict.outcome = Outcome::Unknown;
        verdict.method = Method::None;
        verdict.ran_out = "pairs";
      }
    }
    return std::move(result_);
  }

 private:
  /// Orders verdicts by how much they say: a race, then unknown, then exclusions by the strongest step.
  static bool says_more(const Verdict& verdict, const Verdict& known) {
    const auto rank = [](const Verdict& v) {
      const int outcome = v.outcome == Outcome::Race ? 2 : v.outcome == Outcome::Unknown ? 1 : 0;
      return std::pair(outcome, outcome == 0 ? static_cast<int>(v.method) : 0);
    };
    return rank(verdict) > rank(known);
  }

  const CandidateGroup& group_;
  const GroupBudget& budget_;
  std::size_t limit_ = 0;
  std::size_t asked_ = 0;
  std::uint64_t work_ = 0;
  bool under_ca_ = false;  ///< some pair is excluded under CA only
  GroupVerdict result_;
};

}  // namespace

GroupBudget GroupBudget::of(std::uint64_t window, std::size_t groups, std::uint64_t pairs) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  const auto times = [&](std::uint64_t factor) { return window > kMost / factor ? kMost : window * factor; };
  return {.pairs = pairs == 0 ? kKeptPairs : pairs,
          .work = std::min(times(100'000), times(2'000'000) / std::max<std::uint64_t>(1, groups))};
}

std::vector<GroupVerdict> confirm_groups(const Confirmer& confirmer, std::span<const CandidateGroup> groups,
                                         const GroupBudget& budget, const std::function<void(std::size_t)>& on_decided,
                                         const std::function<bool()>& is_stopped) {
  std::vector<Inquiry> inquiries;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    OMEN_CHECK(!groups[i].pairs.empty());
    inquiries.emplace_back(groups[i], budget);
    open.push_back(i);
  }
  while (!open.empty() && !(is_stopped && is_stopped())) {
    const std::size_t each = std::max<std::size_t>(1, confirmer.together() / open.size());
    std::vector<std::size_t> of;  // the pair's group
    std::vector<Pair> pairs;
    for (const std::size_t i : open) {
      const auto next = inquiries[i].next(inquiries[i].wanted(each));
      pairs.insert(pairs.end(), next.begin(), next.end());
      of.insert(of.end(), next.size(), i);
    }
    std::vector<Verdict> verdicts =
        budget.methods ? confirmer.confirm(pairs, *budget.methods) : confirmer.confirm(pairs);
    for (std::size_t k = 0; k < pairs.size(); ++k) inquiries[of[k]].take(std::move(verdicts[k]));
    const std::size_t done = std::erase_if(open, [&](std::size_t i) { return inquiries[i].wanted(each) == 0; });
    if (done != 0 && on_decided) on_decided(done);
  }
  std::vector<GroupVerdict> results;
  for (Inquiry& inquiry : inquiries) results.push_back(std::move(inquiry).finish());
  return results;
}

}  // namespace omen::vindicate
