#include "vindicate/deadlocks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "trace/quote.hpp"
#include "vindicate/exact_step.hpp"

namespace omen::vindicate {
namespace {

/// One event of each node of a cycle.
using Choice = std::vector<std::size_t>;  ///< positions in `WaitNode::events`

class Predictor {
 public:
  Predictor(const Confirmer& confirmer, const DeadlockSearch& search)
      : confirmer_(confirmer),
        index_(confirmer.index()),
        search_(search),
        graph_(index_, search.kinds, search.end),
        builder_(index_, &confirmer.checkpoints()),
        closure_(index_, &confirmer.checkpoints()) {
    for (std::size_t t = 0; t < index_.threads(); ++t) {
      no_limit_.push_back(static_cast<std::uint32_t>(index_.events_of(t).size()));
    }
  }

  Deadlocks run() && {
    Deadlocks result;
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    std::size_t decided = 0;
    result.all_cycles = graph_.for_each_cycle(search_.steps, [&](std::span<const std::uint32_t> cycle) {
      const auto [at, is_new] = known.try_emplace(places_of(cycle), result.found.size());
      if (!is_new) {
        ++result.found[at->second].cycles;
        if (result.found[at->second].outcome == DeadlockOutcome::Deadlock) return true;
      }
      if (++decided > search_.cycles) return false;
      DeadlockVerdict verdict = decide(cycle);
      if (is_new) {
        result.found.push_back(std::move(verdict));
      } else if (verdict.outcome == DeadlockOutcome::Deadlock ||
                 (verdict.outcome == DeadlockOutcome::Unknown &&
                  result.found[at->second].outcome == DeadlockOutcome::NoDeadlock)) {
        verdict.cycles = result.found[at->second].cycles;
        result.found[at->second] = std::move(verdict);
      }
      return true;
    });
    std::vector<DeadlockVerdict> others;  // listed after the deadlocks
    std::vector<DeadlockVerdict> deadlocks;
    for (DeadlockVerdict& verdict : result.found) {
      (verdict.outcome == DeadlockOutcome::Deadlock ? deadlocks : others).push_back(std::move(verdict));
    }
    std::ranges::move(others, std::back_inserter(deadlocks));
    result.found = std::move(deadlocks);
    return result;
  }

 private:
  const WaitNode& node(std::uint32_t n) const { return graph_.nodes()[n]; }
  EventNo event_of(std::span<const std::uint32_t> cycle, const Choice& choice, std::size_t i) const {
    return node(cycle[i]).events[choice[i]];
  }

  /// For each member, the locations of its request and of the lock that it waits for, beginning with the least.
  std::vector<std::uint64_t> places_of(std::span<const std::uint32_t> cycle) const {
    const Choice first(cycle.size(), 0);
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const DeadlockMember one = member(cycle, first, i);
      const auto place = [&](EventNo e) {
        return e == kNone ? ~std::uint32_t{0} : static_cast<std::uint32_t>(index_.event(e).location);
      };
      places.push_back(std::uint64_t{place(one.request)} << 32 | place(one.holds_since));
    }
    std::vector<std::uint64_t> least = places;
    for (std::size_t i = 1; i < places.size(); ++i) {
      std::ranges::rotate(places, places.begin() + 1);
      least = std::min(least, places);
    }
    return least;
  }

  DeadlockMember member(std::span<const std::uint32_t> cycle, const Choice& choice, std::size_t i) const {
    const WaitNode& before = node(cycle[(i + cycle.size() - 1) % cycle.size()]);
    DeadlockMember member{.request = event_of(cycle, choice, i), .kind = node(cycle[i]).kind, .holds_since = kNone};
    if (before.kind != WaitKind::Lock) return member;
    for (const std::uint32_t slot : index_.slots_of(node(cycle[i]).thread)) {
      if (index_.slots()[slot].lock != LockId{before.object}) continue;
      const std::size_t entered = index_.entered(slot, index_.position(member.request));
      OMEN_CHECK(entered != 0);
      member.holds_since = index_.sections(slot)[entered - 1].start;
    }
    return member;
  }

  bool fits(std::span<const std::uint32_t> cycle, const Choice& choice) const {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::size_t next = (i + 1) % cycle.size();
      if (!graph_.fits(cycle[i], event_of(cycle, choice, i), cycle[next], event_of(cycle, choice, next))) return false;
    }
    return true;
  }

  DeadlockVerdict decide(std::span<const std::uint32_t> cycle) {
    DeadlockVerdict verdict;
    Choice choice(cycle.size(), 0);
    const auto fill = [&](const Choice& of) {
      verdict.members.clear();
      for (std::size_t i = 0; i < cycle.size(); ++i) verdict.members.push_back(member(cycle, of, i));
    };
    fill(choice);
    // First excludes the choices that needs alone exclude.
    if (!walk(cycle, choice, [&] { return builder_.close(); })) {
      verdict.outcome = DeadlockOutcome::NoDeadlock;
      verdict.method = Method::Order;
      return verdict;
    }
    const Choice first = choice;
    fill(first);
    if (confirmer_.methods().closure && walk(cycle, choice, [&] { return builder_.close_in_order(); })) {
      fill(choice);
      verdict.method = Method::Closure;
      verdict.witness = in_trace_order(index_, builder_.cut());
      return confirmed(std::move(verdict));
    }
    if (confirmer_.methods().search || confirmer_.methods().smt) {
      exactly(cycle, first, verdict, fill);
    } else {
      verdict.ran_out = "methods";
    }
    return verdict;
  }

  /// Advances nodes until the closure of the events before the requests contains none of them. False: there is no such
  /// choice.
  template <class Close>
  bool walk(std::span<const std::uint32_t> cycle, Choice& choice, Close close) {
    builder_.start(no_limit_);
    for (std::size_t i = 0; i < cycle.size(); ++i) want(cycle[i], event_of(cycle, choice, i));
    while (true) {
      if (!close()) return false;
      bool moved = false;
      for (std::size_t i = 0; i < cycle.size(); ++i) {
        const WaitNode& one = node(cycle[i]);
        const auto later = [&](EventNo e) { return !index_.in(builder_.cut(), e); };
        if (later(one.events[choice[i]])) continue;
        const auto at = std::ranges::partition_point(one.events, [&](EventNo e) { return !later(e); });
        if (at == one.events.end()) return false;
        choice[i] = static_cast<std::size_t>(at - one.events.begin());
        want(cycle[i], *at);
        moved = true;
      }
      if (!fits(cycle, choice)) return false;
      if (!moved) return true;
    }
  }

  /// Requests the events that the thread must execute before the request. A thread that waits for its fork needs none.
  void want(std::uint32_t n, EventNo request) {
    if (node(n).kind == WaitKind::Fork) return;
    builder_.want(index_.thread(request), index_.position(request));
    index_.for_each_goal_need(request, [&](EventNo f) { builder_.want(f); });
  }

  /// Enumerates the choices from `first` on.
  template <class Fill>
  void exactly(std::span<const std::uint32_t> cycle, const Choice& first, DeadlockVerdict& verdict, Fill fill) {
    constexpr std::size_t kMostTried = 4096;
    std::size_t tried = 0;
    std::size_t asked = 0;
    Choice choice = first;
    do {
      if (++tried > kMostTried || asked == search_.choices || work_ > search_.work) {
        verdict.ran_out = "choices of events";
        verdict.outcome = DeadlockOutcome::Unknown;
        return;
      }
      if (!fits(cycle, choice)) continue;
      std::vector<EventNo> goals;
      for (std::size_t i = 0; i < cycle.size(); ++i) {
        if (node(cycle[i]).kind != WaitKind::Fork) goals.push_back(event_of(cycle, choice, i));
      }
      if (!closure_.meet(goals)) continue;
      ++asked;
      ExactDecision decision = decide_exactly(index_, goals, closure_.relevant(goals), confirmer_.methods(),
                                              confirmer_.budget(), confirmer_.smt_sink());
      work_ += decision.work;
      if (decision.answer == Answer::Yes) {
        fill(choice);
        verdict.method = decision.method;
        verdict.witness = std::move(decision.schedule);
        verdict = confirmed(std::move(verdict));
        return;
      }
      if (decision.answer == Answer::OutOfBudget) verdict.ran_out = decision.ran_out;
      verdict.method = decision.method;
    } while (next(cycle, first, choice));
    if (!verdict.ran_out.empty()) return;
    verdict.outcome = DeadlockOutcome::NoDeadlock;
    if (asked == 0) verdict.method = Method::Order;
  }

  bool next(std::span<const std::uint32_t> cycle, const Choice& first, Choice& choice) const {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (++choice[i] < node(cycle[i]).events.size()) return true;
      choice[i] = first[i];
    }
    return false;
  }

  /// Every witness goes through the checker.
  DeadlockVerdict confirmed(DeadlockVerdict verdict) const {
    const std::size_t n = verdict.members.size();
    for (const DeadlockMember& one : verdict.members) verdict.witness.push_back(one.request);
    if (const auto accepted = confirmer_.checker().accepts_deadlock(verdict.witness, n); !accepted) {
      std::string dump = "the checker refuses the witness of a deadlock (" + std::string(name(verdict.method)) +
                         ") at step " + std::to_string(accepted.error().step) + ": " + accepted.error().reason +
                         "\n  witness:";
      for (const EventNo e : verdict.witness) dump += ' ' + std::to_string(e);
      internal_error(__FILE__, __LINE__, dump);
    }
    verdict.outcome = DeadlockOutcome::Deadlock;
    verdict.under_ca = confirmer_.conflict_order().kept_by(verdict.witness);
    return verdict;
  }

  const Confirmer& confirmer_;
  const TraceIndex& index_;
  const DeadlockSearch& search_;
  WaitGraph graph_;
  CutBuilder builder_;
  Closure closure_;
  Cut no_limit_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::string_view name(DeadlockOutcome outcome) {
  switch (outcome) {
    case DeadlockOutcome::Deadlock:
      return "deadlock";
    case DeadlockOutcome::NoDeadlock:
      return "no-deadlock";
    case DeadlockOutcome::Unknown:
      return "unknown";
  }
  return "?";
}

Deadlocks predict_deadlocks(const Confirmer& confirmer, const DeadlockSearch& search) {
  return Predictor(confirmer, search).run();
}

std::string waiting_words(const TraceIndex& index, const DeadlockMember& member, const DeadlockMember& next) {
  const Names& names = index.trace().names;
  const Event& request = index.event(member.request);
  const std::string other = on_one_line(names.of(index.event(next.request).thread));
  switch (member.kind) {
    case WaitKind::Lock:
      return "waits for lock " + quoted(names.of(request.lock())) + ", which " + other + " holds";
    case WaitKind::Join:
      return request.target() == index.event(next.request).thread
                 ? "waits for the end of " + other
                 : "waits for the end of " + on_one_line(names.of(request.target())) + ", which " + other +
                       " is to create";
    case WaitKind::Barrier:
      return "waits at barrier " + quoted(names.of(OperandKind::Barrier)[request.operand]) + " for " + other;
    case WaitKind::Fork:
      return "waits to be created by " + other;
  }
  return {};
}

}  // namespace omen::vindicate
