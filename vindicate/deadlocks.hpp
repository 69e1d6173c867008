/// \file
/// Predicted deadlocks: cycles of requests that a correct reordering reaches (docs/event-model.md, "Deadlocks").
///
/// The cycles come from a `WaitGraph`. For each of them these steps run, the cheapest first:
///
/// | step | deadlock | no deadlock |
/// | --- | --- | --- |
/// | order | | the events that the threads need to reach their requests include a request, for every choice of events |
/// | closure | sync-preserving deadlocks: the closure of closure.hpp contains no request | |
/// | exact | exact_step.hpp, for choices of events that the order leaves open | under LW, in the whole trace |
///
/// The first two walk over all choices of events at once, as in Algorithm 3 of Tunç, Mathur, Pavlogiannis and
/// Viswanathan, "Sound Dynamic Deadlock Prediction in Linear Time" (PLDI 2023): a request that falls into the closure
/// of the events before the others cannot deadlock with them or with their later events, so its node advances to its
/// next event. Closures grow monotonically, so the walk is linear in the trace. Departure: the closure is that of LW,
/// with atomics, barriers and readers' locks, and requests may also be joins and barriers.
///
/// Cycles at the same locations are one deadlock. Every witness has passed the independent checker; a rejected one
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

/// A waiting thread in a cycle.
struct DeadlockMember {
  EventNo request = kNone;
  WaitKind kind = WaitKind::Lock;
  /// Where it took the lock that the previous thread in the cycle wants; `kNone`: that thread does not want a lock.
  EventNo holds_since = kNone;
};

struct DeadlockVerdict {
  DeadlockOutcome outcome = DeadlockOutcome::Unknown;
  Method method = Method::None;
  bool under_ca = false;                ///< the witness also keeps CA
  std::vector<DeadlockMember> members;  ///< each waits for the next, the last for the first
  std::vector<EventNo> witness;         ///< of a deadlock; the requests last
  std::uint64_t cycles = 1;             ///< the number of cycles at the same locations
  std::string ran_out;                  ///< unknown: the exhausted budget
};

struct DeadlockSearch {
  WaitGraph::Kinds kinds = WaitGraph::Kinds::LocksAndJoins;
  EventNo end = kNone;                 ///< only requests before this event
  std::uint64_t steps = 2'000'000;     ///< limit of the search for cycles
  std::size_t cycles = 10'000;         ///< how many cycles are decided
  std::size_t choices = 64;            ///< choices of events that the exact step decides, for each cycle
  std::uint64_t work = 1'000'000'000;  ///< limit of the exact step, in `Verdict::work`, for all cycles together
};

struct Deadlocks {
  std::vector<DeadlockVerdict> found;  ///< one for all cycles at the same locations, deadlocks first
  bool all_cycles = true;              ///< false: the budget of the search for cycles was too small
};

Deadlocks predict_deadlocks(const Confirmer& confirmer, const DeadlockSearch& search = {});

/// A description for people: "waits for lock 'm', which T2 holds"; `next` is the member that is waited for.
std::string waiting_words(const TraceIndex& index, const DeadlockMember& member, const DeadlockMember& next);

}  // namespace omen::vindicate
