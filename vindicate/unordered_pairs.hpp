/// \file
/// Finds conflicting accesses that some reordering under LW, or DATA, may bring together, in one pass over the events:
/// pairs that neither needs (trace_index.hpp) nor a common lock excludes. This is a superset of the predictable pairs.
/// Most of the pairs excluded here would cost the later steps one closure each.
///
/// Each thread has a clock: for each thread, the length of the prefix that its next event needs. It is the vector clock
/// of program order, fork, join, barriers, and the edge from a write to the reads that see it, under DATA except for
/// reads of updates. It does not contain locks, nor the chains of updates that a read's value comes from. A pair is
/// excluded if the later access's clock covers the earlier one, or both hold a lock that excludes the other.
///
/// A variable keeps the latest access of each thread, location, kind and set of locks, so a pair represents similar
/// ones. Two limits bound the memory. A variable keeps `kMostPlaces` accesses; a pair with an evicted one is not found.
/// Sources hold clocks of `kMostClockBytes` in all; a source without a clock orders only itself before its readers, not
/// its past, so pairs may be found that needs exclude.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

class UnorderedPairs {
 public:
  static constexpr std::size_t kMostPlaces = 64;
  static constexpr std::size_t kMostClockBytes = std::size_t{256} << 20;

  explicit UnorderedPairs(Model model);

  /// Processes the next event of a well-formed trace, with `nested` set. Calls `visit(pair)` for each pair in which it
  /// is the later access.
  template <class Visit>
  void take(const Event& event, EventNo number, Visit visit) {
    begin(event);
    if (is_access(event.op)) for_each_partner(event, number, visit);
    learn(event);
    ++threads_[index(event.thread)].clock[index(event.thread)];
  }

 private:
  using Clock = std::vector<std::uint32_t>;
  using LockSet = std::uint32_t;  ///< an index of `lock_sets_`

  struct HeldLock {
    LockId lock;
    bool shared;
    auto operator<=>(const HeldLock&) const = default;
  };
  struct Thread {
    bool begun = false;
    Clock clock;  ///< its own entry is the number of events that it has executed
    std::vector<HeldLock> held;
    LockSet locks = 0;
    std::shared_ptr<const Clock> published;  ///< a copy of `clock`, up to date except for its own entry
  };
  /// An event that later events of other threads may need, with its past.
  struct Source {
    ThreadId thread{};
    std::uint32_t length = 0;  ///< the length of the thread's prefix that ends with it; 0: none
    std::shared_ptr<const Clock> clock;
  };
  struct Place {
    ThreadId thread;
    LocationId location;
    bool wrote;
    LockSet locks;
    std::uint32_t position;  ///< of the latest such access, in its thread
    EventNo event;
    std::uint32_t turn;  ///< `Variable::turns` at the last search for its partners
  };
  struct Variable {
    Source written;  ///< the last write, free or allocation
    Source allocated;
    ThreadId latest{};         ///< the thread of the latest access
    std::uint32_t turns = 0;   ///< how often the accessing thread has changed
    std::uint32_t oldest = 0;  ///< the index of the next entry to evict
    std::vector<Place> places;
  };
  struct Barrier {
    using Round = std::shared_ptr<std::vector<Source>>;  ///< its arrivals
    Round round;                                         ///< the current one
    bool left = true;                                    ///< a thread has left it: the next arrival begins another
    std::unordered_map<ThreadId, Round> rounds;          ///< in which each thread arrived last
  };

  void begin(const Event& event);
  void learn(const Event& event);
  void need(Thread& thread, const Source& source);
  Source source(const Event& event);
  void hold(Thread& thread, LockId lock, bool shared);
  void give_up(Thread& thread, LockId lock);
  bool exclude_each_other(LockSet a, LockSet b) const;
  template <class Element>
  static Element& at(std::vector<Element>& all, std::size_t i) {
    if (i >= all.size()) all.resize(i + 1);
    return all[i];
  }
  static std::uint32_t entry(const Clock& clock, ThreadId thread) {
    return index(thread) < clock.size() ? clock[index(thread)] : 0;
  }

  template <class Visit>
  void for_each_partner(const Event& event, EventNo number, Visit visit);

  Model model_;
  std::vector<Thread> threads_;
  std::vector<Source> forks_;  ///< of each thread
  std::vector<Variable> variables_;
  std::vector<Source> atomics_;  ///< the last store or read-modify-write
  std::vector<Barrier> barriers_;
  std::vector<std::vector<HeldLock>> lock_sets_;
  std::map<std::vector<HeldLock>, LockSet> known_lock_sets_;
  std::shared_ptr<std::size_t> clock_bytes_;  ///< total size of the referenced clocks
};

template <class Visit>
void UnorderedPairs::for_each_partner(const Event& event, EventNo number, Visit visit) {
  Variable& variable = at(variables_, event.operand);
  Thread& thread = threads_[index(event.thread)];
  const bool writes = is_write(event.op);
  need(thread, variable.allocated);
  if (variable.latest != event.thread) {
    variable.latest = event.thread;
    ++variable.turns;
  }
  Place* mine = nullptr;
  for (Place& place : variable.places) {
    if (place.thread == event.thread && place.location == event.location && place.wrote == writes &&
        place.locks == thread.locks) {
      mine = &place;
      break;
    }
  }
  // The same access again, with no other thread in between: its partners are those of the first.
  const bool again = mine != nullptr && mine->turn == variable.turns;
  for (const Place& place : variable.places) {
    if (again) break;
    if (place.thread == event.thread || !(place.wrote || writes) ||
        entry(thread.clock, place.thread) > place.position || exclude_each_other(place.locks, thread.locks)) {
      continue;
    }
    visit(Pair{place.event, number});
  }
  const Place latest{event.thread, event.location, writes, thread.locks, thread.clock[index(event.thread)],
                     number,       variable.turns};
  if (mine != nullptr) {
    *mine = latest;
  } else if (variable.places.size() < kMostPlaces) {
    variable.places.push_back(latest);
  } else {
    variable.places[variable.oldest++ % kMostPlaces] = latest;
  }
}

}  // namespace omen::vindicate
