#include "vindicate/exact_step.hpp"

#include <algorithm>
#include <numeric>

#include "vindicate/closure.hpp"
#include "vindicate/smt.hpp"

namespace omen::vindicate {
namespace {

/// The size of the first window; each further one is twice as large.
constexpr std::size_t kFirstWindow = 64;

/// The cost of a state of the search, and of a unit of Z3's resources, in visits of an event.
constexpr std::uint64_t kWorkPerState = 50;
constexpr std::uint64_t kWorkPerResource = 10;

std::size_t size_of(const Cut& cut) {
  return std::accumulate(cut.begin(), cut.end(), std::size_t{0});
}

class ExactStep {
 public:
  ExactStep(const TraceIndex& index, std::span<const EventNo> goals, const Cut& relevant, const Methods& methods,
            const Budget& budget, const SmtSink& smt_sink)
      : index_(index), goals_(goals), relevant_(relevant), methods_(methods), budget_(budget), smt_sink_(smt_sink) {}

  ExactDecision run() && {
    const std::size_t all = size_of(relevant_);
    decision_.work += all;
    for (std::size_t items = std::min(kFirstWindow, budget_.window);; items = std::min(items * 2, budget_.window)) {
      const EventNo begin = begin_of_window(items);
      // If the goals are far apart, even the smallest window may exceed the budget.
      if (all - size_of(before(index_, relevant_, begin)) > budget_.window) {
        decision_.ran_out = "window";
        return std::move(decision_);
      }
      const Region region(index_, goals_, relevant_, begin);
      decision_.items = region.items().size();
      decision_.window_begin = region.impossible() ? 0 : begin;
      if (decide(region) || begin == 0 || items == budget_.window) break;
    }
    if (decision_.answer == Answer::No && decision_.window_begin != 0) {
      // Nothing in the window; the result of a longer one is unknown.
      decision_.answer = Answer::OutOfBudget;
      decision_.ran_out = "window";
    }
    return std::move(decision_);
  }

 private:
  /// The begin of a window of about `items` of the relevant events, not after the first goal.
  EventNo begin_of_window(std::size_t items) const {
    EventNo low = 0;
    EventNo high = std::ranges::min(goals_);
    const std::size_t all = size_of(relevant_);
    while (low < high) {  // the earliest begin that leaves at most `items`
      const EventNo middle = low + (high - low) / 2;
      if (all - size_of(before(index_, relevant_, middle)) <= items) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// True if no other window needs to be tried: impossible in every window, or found.
  bool decide(const Region& region) {
    decision_.answer = Answer::OutOfBudget;
    decision_.method = Method::None;
    bool done = false;
    if (methods_.search) {
      const ExactAnswer found = search(region, budget_.states);
      decision_.states += found.cost;
      decision_.work += found.cost * kWorkPerState;
      decision_.ran_out = "search states";
      done = take(region, found, Method::Search);
    }
    if (!done && methods_.smt) {
      std::string text;
      const ExactAnswer found = solve(region, budget_.rlimit, smt_sink_ ? &text : nullptr);
      if (smt_sink_) {
        const bool deadlock = !is_access(index_.event(goals_.front()).op);
        smt_sink_({.goals = goals_, .deadlock = deadlock, .begin = region.begin(), .smt_lib = text});
      }
      decision_.rlimit += found.cost;
      decision_.work += found.cost * kWorkPerResource;
      decision_.ran_out = "rlimit";
      done = take(region, found, Method::Smt);
    }
    return decision_.answer == Answer::Yes || region.impossible();
  }

  bool take(const Region& region, const ExactAnswer& answer, Method method) {
    if (answer.answer == Answer::OutOfBudget) return false;
    decision_.answer = answer.answer;
    decision_.method = method;
    decision_.ran_out.clear();
    if (answer.answer == Answer::Yes) decision_.schedule = region.schedule(answer.items);
    return true;
  }

  const TraceIndex& index_;
  std::span<const EventNo> goals_;
  const Cut& relevant_;
  const Methods& methods_;
  const Budget& budget_;
  const SmtSink& smt_sink_;
  ExactDecision decision_;
};

}  // namespace

ExactDecision decide_exactly(const TraceIndex& index, std::span<const EventNo> goals, const Cut& relevant,
                             const Methods& methods, const Budget& budget, const SmtSink& smt_sink) {
  return ExactStep(index, goals, relevant, methods, budget, smt_sink).run();
}

}  // namespace omen::vindicate
