/// \file
/// The cheap steps: the events that every witness of a pair must contain, and the witness that keeps the trace's own
/// order.
///
/// *Ordered.* The least set that is closed under program order and needs and contains the predecessors of both accesses
/// is part of every witness. If one of the accesses falls into it, or both hold a lock that excludes the other, there
/// is no race under LW.
///
/// *The closure.* Also close that set under one rule: of two rival sections that are both entered, the earlier in the
/// trace ends. If none of the accesses falls into it, the set in trace order, then the pair, is a witness: prefixes,
/// needs and sections are those of the trace. This finds the sync-preserving races (Mathur, Pavlogiannis and
/// Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", 2021), which Vindicator's graph finds only
/// with more work. The time is mostly proportional to threads and locks.
///
/// *Section last.* If a racing access is inside sections, these may have to come after a later section of the other
/// thread. So the step also tries the same set with the racing thread's events from its first open section on moved to
/// the end. That is a proposal, not yet a witness: the values that these events see may have changed, which the checker
/// detects.
#pragma once

#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "vindicate/cut_builder.hpp"

namespace omen::vindicate {

/// The events of a cut in trace order, with those of thread `last` from its event number `from` on moved to the end.
struct Schedule {
  Cut cut;
  std::size_t last = kNone;
  std::uint32_t from = 0;

  /// Calls `visit(e)` for each event in order.
  template <class Visit>
  void for_each(const TraceIndex& index, Visit visit) const {
    std::size_t left = size();
    if (last != kNone) left -= cut[last] - from;
    for (EventNo e = 0; left > 0; ++e) {
      if (!index.in(cut, e) || (index.thread(e) == last && index.position(e) >= from)) continue;
      visit(e);
      --left;
    }
    if (last == kNone) return;
    for (const EventNo e : index.events_of(last).first(cut[last]).subspan(from)) visit(e);
  }

  std::size_t size() const { return std::accumulate(cut.begin(), cut.end(), std::size_t{0}); }
};

/// Scratch memory of one worker; the index and the checkpoints are shared.
class Closure {
 public:
  Closure(const TraceIndex& index, const Checkpoints* checkpoints) : index_(index), builder_(index, checkpoints) {}

  /// No witness can exist: an access needs the other one, or a lock excludes them.
  bool ordered(Pair pair);
  /// A lock that both accesses hold, so that they exclude each other.
  std::optional<LockId> common_lock(Pair pair) const;
  /// A witness, without the pair.
  std::optional<Schedule> in_trace_order(Pair pair);
  /// A possible witness: the sections around `racing`, one of the pair, come last. None if it is in no section.
  std::optional<Schedule> section_last(Pair pair, EventNo racing);
  /// `goals` are events of different threads, such as a racing pair. False: one of them, or the events that its thread
  /// needs to reach it, need another goal; so the threads can never be before their goals together.
  bool meet(std::span<const EventNo> goals);
  /// All events that can matter: if the threads can be before their goals together, then by a schedule of these.
  /// Without events that need a goal.
  Cut relevant(std::span<const EventNo> goals);
  /// The work so far (`CutBuilder::work`).
  std::uint64_t work() const { return builder_.work(); }

 private:
  void start(std::span<const EventNo> goals, bool lenient);
  const Section* open_at(EventNo access, std::uint32_t slot) const;
  bool keeps_life(Pair pair, const Cut& cut) const;

  const TraceIndex& index_;
  CutBuilder builder_;
  Cut limit_;
};

/// The events of a cut in trace order.
std::vector<EventNo> in_trace_order(const TraceIndex& index, const Cut& cut);

/// The events of the cut that execute before event number `begin` of the trace.
Cut before(const TraceIndex& index, const Cut& cut, EventNo begin);

}  // namespace omen::vindicate
