/// \file
/// Decides candidate pairs, with the cheapest step first. Every step is sound; a pair that one cannot decide goes to
/// the next.
///
/// | step | race | no race |
/// | --- | --- | --- |
/// | order | | the accesses need each other, or hold a common lock: under LW |
/// | closure | the witness in trace order (closure.hpp) | |
/// | graph | VindicateRace (vindicate_race.hpp) | only under CA, so the next step follows |
/// | search, smt | the exact step (search.hpp, smt.hpp) | under LW, in the whole trace or a window |
///
/// Every witness has passed the independent checker; a rejected one ends the process with exit code 70.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/checker.hpp"
#include "vindicate/closure.hpp"
#include "vindicate/exact_step.hpp"
#include "vindicate/schedule_check.hpp"
#include "vindicate/vindicate_race.hpp"

namespace omen::vindicate {

struct Verdict {
  Pair pair;
  Outcome outcome = Outcome::Unknown;
  Method method = Method::None;
  bool under_ca = false;         ///< race: the witness also keeps CA. No race: excluded only under CA
  std::vector<EventNo> witness;  ///< of a race, unless the closure found it; the pair last
  Schedule schedule;             ///< of a race that the closure found: the witness is this, then the pair
  EventNo window_begin = 0;      ///< no race: holds for reorderings that keep the events before this in trace order
  std::string ran_out;           ///< unknown: the exhausted budget
  std::optional<GraphStatistics> graph;  ///< if the graph step ran
  std::optional<GraphAnswer::Kind> graph_says;
  std::size_t exact_items = 0;
  std::uint64_t states = 0;
  std::uint64_t rlimit = 0;
  std::uint64_t work = 0;  ///< the cost of the decision, in units of visited events
};

class Confirmer {
 public:
  /// The trace must be well formed, with `nested` set, and outlive the confirmer.
  Confirmer(const Trace& trace, Methods methods, Budget budget, SmtSink smt_sink = {}, Model model = Model::Data);

  const TraceIndex& index() const { return index_; }
  const Checkpoints& checkpoints() const { return checkpoints_; }
  const checker::Checker& checker() const { return checker_; }
  const Methods& methods() const { return methods_; }
  const Budget& budget() const { return budget_; }
  const SmtSink& smt_sink() const { return smt_sink_; }
  const ConflictOrder& conflict_order() const;

  /// The pairs must conflict. May be called from several threads at once. Pairs in one call share work, which on long
  /// traces is most of the time. `together()` is the largest number of pairs per call, because of the memory that they
  /// take.
  std::vector<Verdict> confirm(std::span<const Pair> pairs) const { return confirm(pairs, methods_); }
  /// With these steps alone.
  std::vector<Verdict> confirm(std::span<const Pair> pairs, const Methods& methods) const;
  Verdict confirm(Pair pair) const { return std::move(confirm(std::span(&pair, 1)).front()); }
  std::size_t together() const;

  /// The witness of a race, event by event.
  std::vector<EventNo> witness(const Verdict& verdict) const;
  /// True if the checker accepts another witness of the trace.
  bool accepts(std::span<const EventNo> witness) const { return checker_.accepts(witness).has_value(); }
  /// The name of the strictest model under which the verdict holds. In a trace with updates this takes a run of the
  /// checker.
  std::string_view model_of(const Verdict& verdict) const;
  /// The model of a witness; of a deadlock's if it has requests.
  std::string_view model_of(bool under_ca, std::span<const EventNo> witness, std::size_t requests = 0) const;
  /// For a pair that is no race: the reason, in a few words.
  std::string why_excluded(const Verdict& verdict) const;

 private:
  void by_closure(Closure& closure, const Methods& methods, std::vector<Verdict>& verdicts) const;
  void take(CheckedSchedule& checked, bool certain, Verdict& verdict) const;
  bool by_graph(Verdict& verdict) const;
  void exactly(Closure& closure, const Methods& methods, Verdict& verdict) const;
  void race(Verdict& verdict, Method method) const;
  [[noreturn]] void refused(const Verdict& verdict, Method method, const std::vector<EventNo>& witness,
                            const checker::Refusal& refusal) const;

  TraceIndex index_;
  Checkpoints checkpoints_;
  checker::Checker checker_;
  Methods methods_;
  Budget budget_;
  SmtSink smt_sink_;
  mutable std::once_flag once_;  ///< guards the construction of `conflict_order_`, which few traces need
  mutable std::unique_ptr<ConflictOrder> conflict_order_;
};

}  // namespace omen::vindicate
