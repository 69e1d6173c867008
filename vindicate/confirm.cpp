#include "vindicate/confirm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "trace/quote.hpp"
#include "vindicate/region.hpp"
#include "vindicate/smt.hpp"

namespace omen::vindicate {
namespace {

/// The first window of the exact step; each next one is twice as large.
constexpr std::size_t kFirstWindow = 64;

/// Bytes that the states of pairs confirmed together may take.
constexpr std::size_t kSharedState = std::size_t{64} << 20;

/// What a state of the search, and a unit of Z3's resources, cost in visits of an event.
constexpr std::uint64_t kWorkPerState = 50;
constexpr std::uint64_t kWorkPerResource = 10;

/// Where a window of about `items` of the relevant events begins, not after the pair's first access.
EventNo begin_of_window(const TraceIndex& index, const Cut& relevant, Pair pair, std::size_t items) {
  EventNo low = 0;
  EventNo high = pair.first;
  const std::size_t all = std::accumulate(relevant.begin(), relevant.end(), std::size_t{0});
  while (low < high) {  // the earliest begin that leaves at most `items`
    const EventNo middle = low + (high - low) / 2;
    const Cut base = before(index, relevant, middle);
    const std::size_t left = all - std::accumulate(base.begin(), base.end(), std::size_t{0});
    if (left <= items) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Race:
      return "race";
    case Outcome::NoRace:
      return "no-race";
    case Outcome::Unknown:
      return "unknown";
  }
  return "?";
}

std::string_view name(Method method) {
  switch (method) {
    case Method::None:
      return "none";
    case Method::Order:
      return "order";
    case Method::Closure:
      return "closure";
    case Method::Graph:
      return "graph";
    case Method::Search:
    case Method::Smt:
      return "exact";
  }
  return "?";
}

Budget Budget::of(std::uint64_t window) {
  const auto times = [&](std::uint64_t factor, std::uint64_t most) {
    return window > most / factor ? most : window * factor;
  };
  return {.graph_nodes = static_cast<std::size_t>(times(4'000, std::uint64_t{1} << 32)),
          .window = static_cast<std::size_t>(window),
          .states = static_cast<std::size_t>(times(50, std::uint64_t{1} << 32)),
          .rlimit = static_cast<std::uint32_t>(times(20'000, std::numeric_limits<std::uint32_t>::max()))};
}

Confirmer::Confirmer(const Trace& trace, Methods methods, Budget budget, SmtSink smt_sink)
    : index_(trace),
      checkpoints_(index_),
      checker_(trace),
      methods_(methods),
      budget_(budget),
      smt_sink_(std::move(smt_sink)) {}

const ConflictOrder& Confirmer::conflict_order() const {
  std::call_once(once_, [this] { conflict_order_ = std::make_unique<ConflictOrder>(index_); });
  return *conflict_order_;
}

std::size_t Confirmer::together() const {
  const Names& names = index_.trace().names;
  const std::size_t state = 8 * (names.of(OperandKind::Variable).size() + names.of(OperandKind::Atomic).size()) + 1;
  return std::clamp<std::size_t>(kSharedState / state, 1, 1024);
}

std::vector<Verdict> Confirmer::confirm(std::span<const Pair> pairs) const {
  std::vector<Verdict> verdicts(pairs.size());
  Closure closure(index_, &checkpoints_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    OMEN_CHECK(pairs[i].first < pairs[i].second && index_.conflict(pairs[i].first, pairs[i].second));
    Verdict& verdict = verdicts[i];
    verdict.pair = pairs[i];
    if (!methods_.order) continue;
    const std::uint64_t before = closure.work();
    const bool ordered = closure.ordered(pairs[i]);
    verdict.work += closure.work() - before;
    if (!ordered) continue;
    verdict.outcome = Outcome::NoRace;
    verdict.method = Method::Order;
  }
  if (methods_.closure) by_closure(closure, verdicts);
  for (Verdict& verdict : verdicts) {
    if (verdict.outcome != Outcome::Unknown || (methods_.graph && by_graph(verdict))) continue;
    if (methods_.search || methods_.smt) {
      exactly(closure, verdict);
    } else if (verdict.graph_says == GraphAnswer::Kind::NoRaceUnderCa) {
      verdict.outcome = Outcome::NoRace;
      verdict.method = Method::Graph;
      verdict.under_ca = true;
    } else {
      verdict.ran_out = verdict.graph_says == GraphAnswer::Kind::TooLarge ? "graph nodes" : "methods";
    }
  }
  return verdicts;
}

/// Three rounds: trace order, then the sections of one racing access last, then those of the other.
void Confirmer::by_closure(Closure& closure, std::vector<Verdict>& verdicts) const {
  for (int round = 0; round < 3; ++round) {
    std::vector<Verdict*> of;
    std::vector<CheckedSchedule> checks;
    for (Verdict& verdict : verdicts) {
      if (verdict.outcome != Outcome::Unknown) continue;
      const std::uint64_t before = closure.work();
      auto schedule = round == 0   ? closure.in_trace_order(verdict.pair)
                      : round == 1 ? closure.section_last(verdict.pair, verdict.pair.first)
                                   : closure.section_last(verdict.pair, verdict.pair.second);
      verdict.work += closure.work() - before + (schedule ? schedule->size() : 0);
      if (!schedule) continue;
      of.push_back(&verdict);
      checks.push_back({.pair = verdict.pair, .schedule = std::move(*schedule)});
    }
    ScheduleChecks(index_, checker_, conflict_order()).run(checks);
    for (std::size_t i = 0; i < checks.size(); ++i) take(checks[i], /*certain=*/round == 0, *of[i]);
  }
}

/// A refused proposal was none; a refused witness is a bug.
void Confirmer::take(CheckedSchedule& checked, bool certain, Verdict& verdict) const {
  if (!checked.accepted && !certain) return;
  verdict.schedule = std::move(checked.schedule);
  verdict.method = Method::Closure;
  if (!checked.accepted) refused(verdict, Method::Closure, witness(verdict), checked.refusal);
  verdict.outcome = Outcome::Race;
  verdict.under_ca = checked.under_ca;
}

bool Confirmer::by_graph(Verdict& verdict) const {
  GraphAnswer answer = vindicate_race(index_, conflict_order(), verdict.pair, budget_.graph_nodes);
  verdict.graph = answer.statistics;
  verdict.graph_says = answer.kind;
  verdict.work += answer.statistics.work;
  if (answer.kind != GraphAnswer::Kind::Race) return false;
  verdict.witness = std::move(answer.witness);
  race(verdict, Method::Graph);
  return true;
}

/// Windows from small to large; the one that begins with the trace decides.
void Confirmer::exactly(Closure& closure, Verdict& verdict) const {
  const Cut relevant = closure.relevant(verdict.pair);
  const std::size_t all = std::accumulate(relevant.begin(), relevant.end(), std::size_t{0});
  verdict.work += all;
  for (std::size_t items = std::min(kFirstWindow, budget_.window);; items = std::min(items * 2, budget_.window)) {
    const EventNo begin = begin_of_window(index_, relevant, verdict.pair, items);
    const Cut base = before(index_, relevant, begin);
    // Where both accesses are far apart, even the smallest window may be beyond the budget.
    const std::size_t left = all - std::accumulate(base.begin(), base.end(), std::size_t{0});
    if (left > budget_.window) {
      verdict.ran_out = "window";
      return;
    }
    const Region region(index_, verdict.pair, relevant, begin);
    verdict.exact_items = region.items().size();
    verdict.window_begin = region.impossible() ? 0 : begin;
    if (decide(region, verdict) || begin == 0 || items == budget_.window) break;
  }
  if (verdict.outcome == Outcome::NoRace && verdict.window_begin != 0) {
    // Nothing in the window; what a longer one would show is not known.
    verdict.outcome = Outcome::Unknown;
    verdict.ran_out = "window";
  }
}

/// True if no other window needs to be tried.
bool Confirmer::decide(const Region& region, Verdict& verdict) const {
  const auto take = [&](const ExactAnswer& answer, Method method) {
    if (answer.answer == Answer::OutOfBudget) return false;
    verdict.method = method;
    verdict.ran_out.clear();
    verdict.outcome = Outcome::NoRace;
    if (answer.answer == Answer::NoRace) return true;
    verdict.witness = region.witness(answer.items);
    race(verdict, method);
    return true;
  };
  verdict.outcome = Outcome::Unknown;
  verdict.method = Method::None;
  bool done = false;
  if (methods_.search) {
    const ExactAnswer found = search(region, budget_.states);
    verdict.states += found.cost;
    verdict.work += found.cost * kWorkPerState;
    verdict.ran_out = "search states";
    done = take(found, Method::Search);
  }
  if (!done && methods_.smt) {
    std::string text;
    const ExactAnswer found = solve(region, budget_.rlimit, smt_sink_ ? &text : nullptr);
    if (smt_sink_) smt_sink_(verdict.pair, region.begin(), text);
    verdict.rlimit += found.cost;
    verdict.work += found.cost * kWorkPerResource;
    verdict.ran_out = "rlimit";
    done = take(found, Method::Smt);
  }
  // Impossible in any window, or a race.
  return verdict.outcome == Outcome::Race || region.impossible();
}

/// Every witness goes through the checker: the long ones in `take`, the others here.
void Confirmer::race(Verdict& verdict, Method method) const {
  if (const auto accepted = checker_.accepts(verdict.witness); !accepted) {
    refused(verdict, method, verdict.witness, accepted.error());
  }
  verdict.outcome = Outcome::Race;
  verdict.method = method;
  verdict.under_ca = conflict_order().kept_by(verdict.witness);
}

void Confirmer::refused(const Verdict& verdict, Method method, const std::vector<EventNo>& witness,
                        const checker::Refusal& refusal) const {
  std::string dump = "the checker refuses a witness of pair " + std::to_string(verdict.pair.first) + "," +
                     std::to_string(verdict.pair.second) + " (" + std::string(name(method)) + ") at step " +
                     std::to_string(refusal.step) + ": " + refusal.reason + "\n  witness:";
  for (const EventNo e : witness) dump += ' ' + std::to_string(e);
  internal_error(__FILE__, __LINE__, dump);
}

std::vector<EventNo> Confirmer::witness(const Verdict& verdict) const {
  if (verdict.method != Method::Closure) return verdict.witness;
  std::vector<EventNo> events;
  events.reserve(verdict.schedule.size() + 2);
  verdict.schedule.for_each(index_, [&](EventNo e) { events.push_back(e); });
  events.push_back(verdict.pair.first);
  events.push_back(verdict.pair.second);
  return events;
}

std::string Confirmer::why_excluded(const Verdict& verdict) const {
  switch (verdict.method) {
    case Method::Order:
      if (const auto lock = Closure(index_, &checkpoints_).common_lock(verdict.pair)) {
        return "both hold " + quoted(index_.trace().names.of(*lock));
      }
      return "one needs the other: by fork, join, barrier, or what was read before it";
    case Method::Graph:
      return "critical sections and conflicting accesses would have to be ordered in a cycle";
    case Method::Search:
    case Method::Smt:
      return "no order of the " + std::to_string(verdict.exact_items) +
             " events that matter executes both next to each other";
    case Method::None:
    case Method::Closure:
      return {};
  }
  return {};
}

}  // namespace omen::vindicate
