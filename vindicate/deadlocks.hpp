/// \file
/// Predicted deadlocks: circles of requests that a correct reordering reaches (docs/event-model.md, "Deadlocks").
///
/// The circles come from a `WaitGraph`. For each of them the steps are, the cheapest first:
///
/// | step | deadlock | no deadlock |
/// | --- | --- | --- |
/// | order | | what the threads need to come to their requests contains a request, for every choice of events |
/// | closure | sync-preserving deadlocks: the closure of closure.hpp contains no request | |
/// | exact | exact_step.hpp, for choices of events that the order leaves | under LW, in the whole trace |
///
/// The first two walk over all choices of events at once, as in Algorithm 3 of Tunç, Mathur, Pavlogiannis and
/// Viswanathan, "Sound Dynamic Deadlock Prediction in Linear Time" (PLDI 2023): a request that falls into the closure
/// of what comes before the others can be in no deadlock with them or with later ones of theirs, so its node moves on
/// to its next event. Closures grow monotonically, so the walk is linear in the trace. Departure: the closure is that
/// of LW, with atomics, barriers and readers' locks, and requests may also be joins and barriers.
///
/// Circles at the same places are one deadlock. Every witness has passed the independent checker; one that is refused
/// ends the process with exit code 70.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vindicate/confirm.hpp"
#include "vindicate/wait_graph.hpp"

namespace omen::vindicate {

enum class DeadlockOutcome : std::uint8_t { Deadlock, NoDeadlock, Unknown };
std::string_view name(DeadlockOutcome outcome);  ///< as in `vindicate --json`

/// A thread that waits, in a circle.
struct DeadlockMember {
  EventNo request = kNone;
  WaitKind kind = WaitKind::Lock;
  /// Where it took the lock that the thread before it in the circle wants; `kNone`: that one does not want a lock.
  EventNo holds_since = kNone;
};

struct DeadlockVerdict {
  DeadlockOutcome outcome = DeadlockOutcome::Unknown;
  Method method = Method::None;
  bool under_ca = false;                ///< the witness keeps CA too
  std::vector<DeadlockMember> members;  ///< each waits for the next, the last for the first
  std::vector<EventNo> witness;         ///< of a deadlock; the requests last
  std::uint64_t circles = 1;            ///< at the same places
  std::string ran_out;                  ///< unknown: of what
};

struct DeadlockSearch {
  WaitGraph::Kinds kinds = WaitGraph::Kinds::LocksAndJoins;
  EventNo end = kNone;                 ///< requests stand before this event
  std::uint64_t steps = 2'000'000;     ///< of the search for circles
  std::size_t circles = 10'000;        ///< that are decided
  std::size_t choices = 64;            ///< of events that the exact step is asked about, for each circle
  std::uint64_t work = 1'000'000'000;  ///< of the exact step, in `Verdict::work`, for all circles together
};

struct Deadlocks {
  std::vector<DeadlockVerdict> found;  ///< one for all circles at the same places, deadlocks first
  bool all_circles = true;             ///< false: the budget of the search for circles was too small
};

Deadlocks predict_deadlocks(const Confirmer& confirmer, const DeadlockSearch& search = {});

/// The words for people: "waits for lock 'm', which T2 holds"; `next` is the member that is waited for.
std::string waiting_words(const TraceIndex& index, const DeadlockMember& member, const DeadlockMember& next);

}  // namespace omen::vindicate
