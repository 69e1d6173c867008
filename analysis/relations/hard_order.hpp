/// \file
/// The hard order that is part of every relation: fork and join, barriers, atomics and fences (docs/event-model.md,
/// "Thread order"). One mechanism serves all: an event publishes its thread's knowledge, a later event learns it.
/// Whoever publishes then starts a new local time, so that later events of the thread are not taken for published ones.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

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

  /// The joined thread's clock is left alone: others may join it too (verified detectors, §3.4).
  void join(ThreadId t, ThreadId child) {
    relation_.ensure_thread(child);
    relation_.learn(t, relation_.knowledge(child));
  }

  void arrive(ThreadId t, BarrierId b) {
    Barrier& barrier = at(barriers_, b);
    if (barrier.current == nullptr || barrier.current->left) barrier.current = std::make_shared<Round>();
    barrier.current->arrived.join(relation_.knowledge(t));
    barrier.round_of[static_cast<std::uint32_t>(t)] = barrier.current;
    relation_.tick(t);
  }

  void leave(ThreadId t, BarrierId b) {
    Round& round = *at(barriers_, b).round_of.at(static_cast<std::uint32_t>(t));
    relation_.learn(t, round.arrived);
    round.left = true;
  }

  void load(ThreadId t, AtomicId a, MemoryOrder order) {
    const Knowledge& sequence = at(atomics_, a);
    if (acquires(order)) {
      relation_.learn(t, sequence);
    } else {
      at(fences_, t).to_acquire.join(sequence);
    }
  }

  /// A store begins a new release sequence; a relaxed one releases only what a fence before it did.
  void store(ThreadId t, AtomicId a, MemoryOrder order) {
    if (releases(order)) {
      at(atomics_, a) = relation_.knowledge(t);
      relation_.tick(t);
    } else {
      at(atomics_, a) = at(fences_, t).released;
    }
  }

  /// A read-modify-write continues the release sequence that it reads from.
  void rmw(ThreadId t, AtomicId a, MemoryOrder order) {
    load(t, a, order);
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

  /// Everything that some later event may still learn.
  template <class Visit>
  void for_each_knowledge(Visit visit) const {
    for (const Barrier& barrier : barriers_) {
      if (barrier.current != nullptr) visit(barrier.current->arrived);
      for (const auto& [thread, round] : barrier.round_of) visit(round->arrived);
    }
    for (const Knowledge& sequence : atomics_) visit(sequence);
    for (const Fences& fences : fences_) {
      visit(fences.released);
      visit(fences.to_acquire);
    }
  }

 private:
  struct Round {
    Knowledge arrived;
    bool left = false;  ///< somebody left: the next arrival opens a new round
  };
  struct Barrier {
    std::shared_ptr<Round> current;
    std::unordered_map<std::uint32_t, std::shared_ptr<Round>> round_of;  ///< of each thread's latest arrival
  };
  struct Fences {
    Knowledge released;    ///< at the thread's last releasing fence
    Knowledge to_acquire;  ///< read by loads that did not acquire, since the last acquiring fence
  };

  template <class T, class Id>
  static T& at(std::vector<T>& items, Id id) {
    if (index(id) >= items.size()) items.resize(index(id) + 1);
    return items[index(id)];
  }

  Relation& relation_;
  std::vector<Barrier> barriers_;
  std::vector<Knowledge> atomics_;  ///< the release sequence that a read would see
  std::vector<Fences> fences_;      ///< by thread
};

}  // namespace omen
