/// \file
/// The hard order that is part of every relation: fork and join, barriers, atomics and fences (docs/event-model.md,
/// "Thread order"). One mechanism serves all: an event publishes its thread's knowledge, a later event learns it.
/// Publishing starts a new local time of the thread, so that its later events do not count as published.
#pragma once

#include <algorithm>

#include "analysis/memory.hpp"
#include "trace/event.hpp"

namespace omen {

template <class Relation>
class HardOrder {
 public:
  using Knowledge = typename Relation::Knowledge;

  explicit HardOrder(Relation& relation) : relation_(relation) {}

  void fork(ThreadId t, ThreadId child) {
    relation_.ensure_thread(child);
    relation_.learn(child, relation_.knowledge(t));
    relation_.tick(t);
  }

  /// The joined thread's clock does not change: others may join it too (verified detectors, §3.4).
  void join(ThreadId t, ThreadId child) {
    relation_.ensure_thread(child);
    relation_.learn(t, relation_.knowledge(child));
  }

  void arrive(ThreadId t, BarrierId b) {
    Barrier& barrier = at(barriers_, b);
    Latest& latest = latest_of(barrier, t);
    if (latest.round != kNoRound) --barrier.rounds[latest.round].members;
    if (barrier.current == kNoRound || barrier.rounds[barrier.current].left) open_round(barrier);
    Round& round = barrier.rounds[barrier.current];
    round.arrived.join(relation_.knowledge(t));
    ++round.members;
    latest.round = barrier.current;
    relation_.tick(t);
  }

  void leave(ThreadId t, BarrierId b) {
    Barrier& barrier = at(barriers_, b);
    const Latest& latest = latest_of(barrier, t);
    if (latest.round == kNoRound) return;
    Round& round = barrier.rounds[latest.round];
    relation_.learn(t, round.arrived);
    round.left = true;
  }

  /// Ensures that there is an entry for the atomic; see `Table`.
  void ensure(AtomicId a) { at(atomics_, a); }
  void ensure(ThreadId t) { at(fences_, t); }

  /// From now on the events of t belong to another thread, to which the fences do not apply.
  void begin_again(ThreadId t) {
    if (index(t) >= fences_.size()) return;
    fences_[index(t)].released.clear();
    fences_[index(t)].to_acquire.clear();
  }

  /// The atomic's life ends: its memory is reused.
  void forget(AtomicId a) {
    at(atomics_, a).clear();
    if constexpr (kHasSections) relation_.forget(a);
  }
  void forget(BarrierId b) { at(barriers_, b) = {}; }

  void load(ThreadId t, AtomicId a, MemoryOrder order) {
    conflict(t, a, /*writes=*/false);
    read(t, a, order);
  }

  /// A store begins a new release sequence; a relaxed store releases only what an earlier fence released.
  void store(ThreadId t, AtomicId a, MemoryOrder order) {
    conflict(t, a, /*writes=*/true);
    if (releases(order)) {
      at(atomics_, a) = relation_.knowledge(t);
      relation_.tick(t);
    } else {
      at(atomics_, a) = at(fences_, t).released;
    }
  }

  /// A read-modify-write continues the release sequence that it reads from.
  void rmw(ThreadId t, AtomicId a, MemoryOrder order) {
    conflict(t, a, /*writes=*/true);
    read(t, a, order);
    if (releases(order)) {
      at(atomics_, a).join(relation_.knowledge(t));
      relation_.tick(t);
    } else {
      at(atomics_, a).join(at(fences_, t).released);
    }
  }

  void fence(ThreadId t, MemoryOrder order) {
    Fences& fences = at(fences_, t);
    if (acquires(order)) {
      relation_.learn(t, fences.to_acquire);
      fences.to_acquire.clear();
    }
    if (releases(order)) {
      fences.released = relation_.knowledge(t);
      relation_.tick(t);
    }
  }

  /// Visits all knowledge that a later event may still learn.
  template <class Visit>
  void for_each_knowledge(Visit visit) const {
    for (const Barrier& barrier : barriers_) {
      for (const Round& round : barrier.rounds) visit(round.arrived);
    }
    for (const Knowledge& sequence : atomics_) visit(sequence);
    for (const Fences& fences : fences_) {
      visit(fences.released);
      visit(fences.to_acquire);
    }
  }

 private:
  static constexpr bool kHasSections = Relation::kOrdersConflictingSections;

  /// Rule (a): the access may publish what it is ordered after.
  void conflict(ThreadId t, AtomicId a, bool writes) {
    if constexpr (kHasSections) relation_.access_atomic(t, a, writes);
  }

  void read(ThreadId t, AtomicId a, MemoryOrder order) {
    const Knowledge& sequence = at(atomics_, a);
    if (acquires(order)) {
      relation_.learn(t, sequence);
    } else {
      at(fences_, t).to_acquire.join(sequence);
    }
  }

  static constexpr std::uint32_t kNoRound = ~std::uint32_t{0};
  struct Round {
    Knowledge arrived;
    std::uint32_t members = 0;  ///< threads whose latest round it is
    bool left = false;          ///< a thread has left: the next arrival opens a new round
  };
  /// The round of a thread's latest arrival.
  struct Latest {
    ThreadId thread{};
    std::uint32_t round = kNoRound;
  };
  struct Barrier {
    Vector<Round> rounds;  ///< rounds without members are reused
    Vector<Latest> latest;
    std::uint32_t current = kNoRound;
  };

  static Latest& latest_of(Barrier& barrier, ThreadId t) {
    const auto known = std::ranges::find(barrier.latest, t, &Latest::thread);
    if (known != barrier.latest.end()) return *known;
    barrier.latest.push_back({t, kNoRound});
    return barrier.latest.back();
  }
  static void open_round(Barrier& barrier) {
    const auto free = std::ranges::find(barrier.rounds, 0U, &Round::members);
    if (free == barrier.rounds.end()) {
      barrier.current = static_cast<std::uint32_t>(barrier.rounds.size());
      barrier.rounds.emplace_back();
    } else {
      barrier.current = static_cast<std::uint32_t>(free - barrier.rounds.begin());
      *free = {};
    }
  }
  struct Fences {
    Knowledge released;    ///< published by the thread's last releasing fence
    Knowledge to_acquire;  ///< read by relaxed loads since the last acquiring fence
  };

  template <class T, class Id>
  static T& at(Table<T>& items, Id id) {
    if (index(id) >= items.size()) items.resize(index(id) + 1);
    return items[index(id)];
  }

  Relation& relation_;
  Table<Barrier> barriers_;
  Table<Knowledge> atomics_;  ///< the release sequence that a read would see
  Table<Fences> fences_;      ///< by thread
};

}  // namespace omen
