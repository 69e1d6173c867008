#include "vindicate/confirm.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "trace/quote.hpp"

namespace omen::vindicate {
namespace {

/// The memory, in bytes, of the states of pairs that are confirmed together.
constexpr std::size_t kSharedState = std::size_t{64} << 20;

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

Confirmer::Confirmer(const Trace& trace, Methods methods, Budget budget, SmtSink smt_sink, Model model)
    : index_(trace, model),
      checkpoints_(index_),
      checker_(trace, model),
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

std::vector<Verdict> Confirmer::confirm(std::span<const Pair> pairs, const Methods& methods) const {
  std::vector<Verdict> verdicts(pairs.size());
  Closure closure(index_, &checkpoints_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    OMEN_CHECK(pairs[i].first < pairs[i].second && index_.conflict(pairs[i].first, pairs[i].second));
    Verdict& verdict = verdicts[i];
    verdict.pair = pairs[i];
    if (!methods.order) continue;
    const std::uint64_t before = closure.work();
    const bool ordered = closure.ordered(pairs[i]);
    verdict.work += closure.work() - before;
    if (!ordered) continue;
    verdict.outcome = Outcome::NoRace;
    verdict.method = Method::Order;
  }
  if (methods.closure) by_closure(closure, methods, verdicts);
  for (Verdict& verdict : verdicts) {
    if (verdict.outcome != Outcome::Unknown || (methods.graph && by_graph(verdict))) continue;
    if (methods.search || methods.smt) {
      exactly(closure, methods, verdict);
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
void Confirmer::by_closure(Closure& closure, const Methods& methods, std::vector<Verdict>& verdicts) const {
  for (int round = 0; round < (methods.section_last ? 3 : 1); ++round) {
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

/// A rejected proposal is simply not a witness; a rejected witness is a bug.
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

void Confirmer::exactly(Closure& closure, const Methods& methods, Verdict& verdict) const {
  const std::array goals{verdict.pair.first, verdict.pair.second};
  ExactDecision decision = decide_exactly(index_, goals, closure.relevant(goals), methods, budget_, smt_sink_);
  verdict.exact_items = decision.items;
  verdict.window_begin = decision.window_begin;
  verdict.states += decision.states;
  verdict.rlimit += decision.rlimit;
  verdict.work += decision.work;
  verdict.method = decision.method;
  verdict.ran_out = std::move(decision.ran_out);
  switch (decision.answer) {
    case Answer::Yes:
      verdict.witness = std::move(decision.schedule);
      verdict.witness.insert(verdict.witness.end(), goals.begin(), goals.end());
      return race(verdict, decision.method);
    case Answer::No:
      verdict.outcome = Outcome::NoRace;
      return;
    case Answer::OutOfBudget:
      return;
  }
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

std::string_view Confirmer::model_of(bool under_ca, std::span<const EventNo> witness, std::size_t requests) const {
  if (under_ca) return "ca";
  if (!index_.has_updates()) return "lw";
  const bool under_lw = requests == 0 ? checker_.accepts(witness, Model::Lw).has_value()
                                      : checker_.accepts_deadlock(witness, requests, Model::Lw).has_value();
  return under_lw ? "lw" : "data";
}

std::string_view Confirmer::model_of(const Verdict& verdict) const {
  if (verdict.outcome == Outcome::Race) return model_of(verdict.under_ca, witness(verdict));
  if (verdict.under_ca) return "ca";
  return index_.has_updates() ? "data" : "lw";
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
