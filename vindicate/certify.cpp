#include "vindicate/certify.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "vindicate/certificate_clauses.hpp"
#include "vindicate/certificate_order.hpp"
#include "vindicate/certificate_refutation.hpp"

namespace omen::vindicate {
namespace {

/// How much effort a branch gets.
enum class Effort : std::uint8_t { Units, All };

/// The outcome of a branch, or of a clause in it. `Taken`: one alternative is refuted, and the branch continues with
/// the other.
enum class Found : std::uint8_t { Contradiction, Taken, Open, TooLarge, TooMuchWork };

/// The facts of a branch, and its undecided clauses.
struct State {
  CertificateOrder order;
  CertificateClauses clauses;
  std::size_t seen = 0;        ///< how many of `order.events()` have had their clauses computed
  std::vector<Clause> open{};  // NOLINT(readability-redundant-member-init): GCC wants it
};

class Certifier {
 public:
  Certifier(const TraceIndex& index, Pair pair, const CertifyBudget& budget)
      : index_(index), pair_(pair), budget_(budget) {}

  Certification run() {
    State state{CertificateOrder(index_, pair_), CertificateClauses(index_, pair_)};
    Refutation refutation;
    std::vector<Followed> trail;
    const bool possible = state.order.begin(trail);
    append(trail, refutation);
    Found found = Found::Contradiction;
    if (!possible) {
      refutation.cycle = beyond(state.order.beyond());
    } else if (!refute_common_lock(state, refutation)) {
      found = settle(state, refutation, Effort::All);
    }
    switch (found) {
      case Found::Contradiction:
        reduce(refutation, index_, pair_);
        return {Certification::Kind::Certified, certificate_of(refutation, pair_)};
      case Found::Taken:
      case Found::Open:
        return {Certification::Kind::Predictable};
      case Found::TooLarge:
        return {Certification::Kind::TooLarge};
      case Found::TooMuchWork:
        break;
    }
    return {Certification::Kind::TooMuchWork};
  }

 private:
  static void append(const std::vector<Followed>& trail, Refutation& refutation) {
    for (const Followed& followed : trail) {
      refutation.steps.push_back({.edge = followed.edge, .choice = nullptr, .known_before = followed.known_before});
    }
  }

  /// The cycle that follows if `e` is executed, an event at or after the racing access of its thread.
  std::vector<Edge> beyond(EventNo e) const {
    const EventNo access = index_.thread(e) == index_.thread(pair_.first) ? pair_.first : pair_.second;
    if (e == access) return {{EdgeRule::Pair, e, access == pair_.first ? pair_.second : pair_.first}};
    return {{EdgeRule::Thread, access, e}, {EdgeRule::Pair, e, access}};
  }

  /// Both accesses are in rival sections, neither of which has ended. Needs no clocks, so this test comes first.
  bool refute_common_lock(State& state, Refutation& refutation) {
    CertificateClauses sections(index_, pair_);
    std::vector<Clause> clauses;
    for (const EventNo access : {pair_.first, pair_.second}) {
      for (const std::uint32_t slot : index_.slots_of(index_.event(access).thread)) {
        const std::size_t entered = index_.entered(slot, index_.position(access));
        if (entered == 0) continue;
        const Section& last = index_.sections(slot)[entered - 1];
        if (last.end == kNone || state.order.is_beyond(last.end)) sections.add(last.start, clauses);
      }
    }
    return !clauses.empty() && decide(clauses.front(), state, refutation) == Found::Contradiction;
  }

  /// If the known facts refute an alternative, takes the other one.
  Found decide(const Clause& clause, State& state, Refutation& refutation) {
    if (!clause.alternatives[0].possible() && !clause.alternatives[1].possible()) {
      refutation.dead_end = clause;
      return Found::Contradiction;
    }
    for (const std::size_t k : {0U, 1U}) {
      if (clause.alternatives[k].possible()) continue;
      return choose(clause, k, nullptr, state, refutation) ? Found::Taken : Found::Contradiction;
    }
    for (const std::size_t k : {0U, 1U}) {
      const Alternative& alternative = clause.alternatives[k];
      auto refuted = std::make_unique<Refutation>();
      if (state.order.is_beyond(alternative.from)) {
        refuted->cycle = beyond(alternative.from);
      } else if (state.order.is_known(alternative.from) && state.order.precedes(alternative.to, alternative.from)) {
        refuted->cycle = cycle(state.order, alternative);
      } else {
        continue;
      }
      finish(*refuted, alternative, state.order.known_in_thread_of(alternative.from));
      return choose(clause, k, std::move(refuted), state, refutation) ? Found::Taken : Found::Contradiction;
    }
    return Found::Open;
  }

  std::vector<Edge> cycle(const CertificateOrder& order, const Alternative& alternative) const {
    std::vector<Edge> edges = order.path(alternative.to, alternative.from);
    edges.push_back({EdgeRule::Assumed, alternative.from, alternative.to});
    return edges;
  }

  /// Reduces the refutation of a branch that began with an alternative. False: it does not depend on the alternative.
  bool finish(Refutation& refutation, const Alternative& alternative, std::uint32_t known_before) const {
    reduce(refutation, index_, pair_);
    const bool assumes = refutation.footing.assumed.erase({alternative.from, alternative.to}) != 0;
    const bool knows = refutation.footing.release(index_.thread(alternative.from), known_before);
    return assumes || knows;
  }

  /// Continues with the alternative that is not refuted. False: that is a contradiction.
  bool choose(const Clause& clause, std::size_t refuted, std::unique_ptr<Refutation> refutation_of_it, State& state,
              Refutation& refutation) {
    RefutationStep step;
    step.choice = std::make_unique<RefutationStep::Choice>(clause, refuted, std::move(refutation_of_it));
    const Alternative taken = step.choice->taken();
    step.known_before = state.order.known_in_thread_of(taken.from);
    refutation.steps.push_back(std::move(step));
    return assume(taken, state, refutation);
  }

  bool assume(const Alternative& alternative, State& state, Refutation& refutation) {
    if (state.order.is_beyond(alternative.from)) {
      refutation.cycle = beyond(alternative.from);
      return false;
    }
    if (!state.order.is_known(alternative.from)) {
      std::vector<Followed> trail;
      const bool possible = state.order.know(alternative.from, trail);
      append(trail, refutation);
      if (!possible) {
        refutation.cycle = beyond(state.order.beyond());
        return false;
      }
    }
    state.order.order();
    if (state.order.precedes(alternative.to, alternative.from)) {
      refutation.cycle = cycle(state.order, alternative);
      return false;
    }
    state.order.assume(alternative.from, alternative.to);
    return true;
  }

  static bool satisfied(const Clause& clause, const State& state) {
    return std::ranges::any_of(clause.alternatives, [&](const Alternative& a) {
      return a.possible() && state.order.is_known(a.from) && state.order.precedes(a.from, a.to);
    });
  }

  /// Decides clauses until there is a contradiction, or the effort is spent.
  Found settle(State& state, Refutation& refutation, Effort effort) {
    while (true) {
      if (const Found found = units(state, refutation); found != Found::Open) return found;
      if (effort == Effort::Units) return Found::Open;
      Found found = probe(state, refutation);
      if (found == Found::Open && !state.open.empty()) {
        found = refute(state.open.size() - 1, 0, state, refutation, Effort::All);
      }
      if (found != Found::Taken) return found;
    }
  }

  /// Probes alternatives that make more events known, each with unit steps only.
  Found probe(State& state, Refutation& refutation) {
    for (std::size_t i = 0; i < state.open.size(); ++i) {
      for (const std::size_t k : {0U, 1U}) {
        if (state.order.is_known(state.open[i].alternatives[k].from)) continue;
        const Found found = refute(i, k, state, refutation, Effort::Units);
        if (found != Found::Open && found != Found::TooLarge) return found;
      }
    }
    return Found::Open;
  }

  /// Refutes an alternative of an open clause in a branch of its own, and takes the other one. Also returns
  /// `Contradiction` if the branch did not need its assumption. `Open`: the branch stays open.
  Found refute(std::size_t at, std::size_t k, State& state, Refutation& refutation, Effort effort) {
    const Clause clause = state.open[at];
    const Alternative& alternative = clause.alternatives[k];
    const std::uint32_t known_before = state.order.known_in_thread_of(alternative.from);
    work_ += state.order.size() * (state.order.columns() / 8 + 1) + state.open.size();
    State branch = state;
    auto refuted = std::make_unique<Refutation>();
    if (assume(alternative, branch, *refuted)) {
      const Found found = settle(branch, *refuted, effort);
      if (found != Found::Contradiction) return found;
    }
    if (!finish(*refuted, alternative, known_before)) {
      std::ranges::move(refuted->steps, std::back_inserter(refutation.steps));
      refutation.cycle = std::move(refuted->cycle);
      refutation.dead_end = refuted->dead_end;
      return Found::Contradiction;
    }
    state.open.erase(state.open.begin() + static_cast<std::ptrdiff_t>(at));
    return choose(clause, k, std::move(refuted), state, refutation) ? Found::Taken : Found::Contradiction;
  }

  /// Takes every alternative whose counterpart closes a cycle.
  Found units(State& state, Refutation& refutation) {
    for (bool changed = true; changed;) {
      changed = false;
      if (state.order.known() * std::max<std::size_t>(8, state.order.columns()) > budget_.entries)
        return Found::TooLarge;
      state.order.order();
      const auto& events = state.order.events();
      for (; state.seen < events.size(); ++state.seen) state.clauses.add(events[state.seen], state.open);
      std::vector<Clause> left;
      for (std::size_t i = 0; i < state.open.size(); ++i) {
        const Clause& clause = state.open[i];
        ++work_;
        if (satisfied(clause, state)) continue;
        const Found found = decide(clause, state, refutation);
        if (found == Found::Contradiction) return Found::Contradiction;
        if (found == Found::Taken) {
          changed = true;
        } else {
          left.push_back(clause);
        }
      }
      state.open = std::move(left);
      if (work_ > budget_.work) return Found::TooMuchWork;
    }
    return Found::Open;
  }

  const TraceIndex& index_;
  Pair pair_;
  CertifyBudget budget_;
  std::uint64_t work_ = 0;
};

}  // namespace

CertifyBudget CertifyBudget::of(std::uint64_t window) {
  const auto times = [&](std::uint64_t factor) { return std::min(window, (std::uint64_t{1} << 50) / factor) * factor; };
  return {.entries = static_cast<std::size_t>(times(500)), .work = times(100'000)};
}

Certification certify(const TraceIndex& index, Pair pair, const CertifyBudget& budget) {
  OMEN_CHECK(pair.first < pair.second && index.conflict(pair.first, pair.second));
  return Certifier(index, pair, budget).run();
}

}  // namespace omen::vindicate
