/// \file
/// Lets threads that begin late reuse the clock entries of threads that have ended, so that clocks and tables grow with
/// the number of concurrent threads, not with all threads that ever lived. Offline only; the online detector has its
/// own implementation (capture/runtime/detector/threads.cpp).
///
/// The analysis sees a *slot* as one thread; its users follow each other in time. Thread u may follow t in its slot if
/// t was joined, holds no lock, and the thread that forks u knows everything that t did and knew, including t's
/// sections (`Relation::knows_all_of`). Then every relation orders t's events before those of u, as program order
/// would; rules (a) and (b) between sections of t and u add no order; and a thread that knows something of u knows all
/// of t. So judging by slots gives the same verdicts. One thing is lost: where an access races with both t and u, and
/// the level keeps one access per thread, only u's is reported. Hence the first threads of a trace keep their slots for
/// themselves (`Tuning::own_slots`).
///
/// Invariant: thread i < `own_slots` is the first user of slot i; while there are no other threads, events pass
/// unchanged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "analysis/clocks/epoch.hpp"
#include "analysis/race.hpp"
#include "analysis/tuning.hpp"
#include "trace/event.hpp"

namespace omen {

/// `Analysis` combines a relation and a level (analysis/analysis.hpp), and reports to a `RaceSink`.
template <class Analysis>
class WithThreadSlots {
 public:
  WithThreadSlots(RaceSink& sink, const Tuning& tuning)
      : own_slots_(tuning.own_slots), reports_(*this, sink), analysis_(reports_, tuning), next_slot_(own_slots_) {}

  /// Handles the event at position `at` of a well-formed trace.
  void handle(const Event& event, EventIndex at) {
    if (index(event.thread) >= own_slots_ || event.op == Op::Fork || event.op == Op::Join) [[unlikely]]
      return handle_in_slot(event, at);
    note_section(event);
    analysis_.handle(event, at);
  }

  const Analysis& analysis() const { return analysis_; }
  /// How many slots there are.
  std::size_t slots() const { return slots_.size(); }

 private:
  using Knowledge = typename Analysis::Relation::Knowledge;

  struct User {
    EventIndex since;
    ThreadId thread;
  };
  struct Slot {
    std::vector<User> users;  ///< without the first user of a slot below `own_slots_`
    Time released = 0;        ///< when its last section ended; 0: it had none
    std::uint32_t held = 0;   ///< number of locks
    bool ended = false;       ///< its last user was joined
  };

  /// Replaces slots by threads in reports.
  class Reports final : public RaceSink {
   public:
    Reports(WithThreadSlots& slots, RaceSink& sink) : slots_(slots), sink_(sink) {}
    void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
      if (slots_.next_slot_ == slots_.own_slots_ && slots_.slot_of_.empty()) return sink_.race(access, priors);
      RacyAccess of_thread = access;
      of_thread.thread = slots_.user(access.thread, access.site.event);
      priors_.assign(priors.begin(), priors.end());
      for (PriorAccess& prior : priors_) prior.thread = slots_.user(prior.thread, prior.site.event);
      sink_.race(of_thread, priors_);
    }

   private:
    WithThreadSlots& slots_;
    RaceSink& sink_;
    std::vector<PriorAccess> priors_;
  };

  static bool begins(Op op) { return op == Op::Acquire || op == Op::AcquireShared || op == Op::Wake; }
  static bool ends(Op op) { return op == Op::Release || op == Op::ReleaseShared || op == Op::Wait; }

  void handle_in_slot(Event event, EventIndex at) {
    event.thread = slot(event.thread, at);
    analysis_.ensure(event.thread);
    if (event.op == Op::Fork) {
      const ThreadId child = event.target();
      if (index(child) >= own_slots_ && !slot_of_.contains(child)) take_slot(child, event.thread, at);
      set_target(event, slot(child, at));
    } else if (event.op == Op::Join) {
      const ThreadId child = event.target();
      if (const auto known = left_.find(child); known != left_.end()) {
        return analysis_.learn(event.thread, known->second);  // it was joined before, and its slot has another user
      }
      const ThreadId of_child = slot(child, at);
      set_target(event, of_child);
      analysis_.handle(event, at);
      return join(of_child);
    }
    note_section(event);
    analysis_.handle(event, at);
  }

  /// `event.thread` is a slot.
  void note_section(const Event& event) {
    if (event.nested) return;
    if (begins(event.op)) {
      ++state(event.thread).held;
    } else if (ends(event.op)) {
      Slot& slot = state(event.thread);
      --slot.held;
      slot.released = analysis_.now(event.thread).time;
    }
  }

  static void set_target(Event& event, ThreadId slot) { event.operand = static_cast<std::uint32_t>(slot); }

  ThreadId slot(ThreadId t, EventIndex at) {
    if (index(t) < own_slots_) return t;
    const auto known = slot_of_.find(t);
    return known != slot_of_.end() ? known->second : give(t, ThreadId{next_slot_++}, at);
  }

  Slot& state(ThreadId slot) {
    if (index(slot) >= slots_.size()) slots_.resize(index(slot) + 1);
    return slots_[index(slot)];
  }

  ThreadId give(ThreadId t, ThreadId slot, EventIndex at) {
    Slot& given = state(slot);
    given.users.push_back({at, t});
    given.ended = false;
    slot_of_.insert_or_assign(t, slot);
    return slot;
  }

  ThreadId user(ThreadId slot, EventIndex at) const {
    if (index(slot) >= slots_.size()) return slot;
    const auto& users = slots_[index(slot)].users;
    const auto after = std::ranges::upper_bound(users, at, {}, &User::since);
    return after == users.begin() ? slot : std::prev(after)->thread;
  }

  void join(ThreadId slot) {
    Slot& left = state(slot);
    if (left.ended || left.held != 0) return;
    left.ended = true;
    ended_.push_back(slot);
  }

  /// Finds a slot for a thread that `parent`, a slot, forks.
  void take_slot(ThreadId t, ThreadId parent, EventIndex at) {
    for (std::size_t tries = std::min(kTries, ended_.size()); tries != 0; --tries) {
      const ThreadId slot = ended_.front();
      ended_.pop_front();
      const Slot& left = state(slot);
      if (!analysis_.knows_all_of(parent, slot, left.released)) {
        ended_.push_back(slot);
        continue;
      }
      const ThreadId before = left.users.empty() ? slot : left.users.back().thread;
      left_.emplace(before, analysis_.knowledge(slot));
      slot_of_.erase(before);
      analysis_.begin_again(slot);
      give(t, slot, at);
      return;
    }
    slot(t, at);
  }

  static constexpr std::size_t kTries = 16;

  std::uint32_t own_slots_;
  Reports reports_;
  Analysis analysis_;
  std::uint32_t next_slot_;
  std::vector<Slot> slots_;
  std::deque<ThreadId> ended_;                      ///< slots whose last users were joined
  std::unordered_map<ThreadId, ThreadId> slot_of_;  ///< of the threads that are not the first users of their slots
  std::unordered_map<ThreadId, Knowledge>
      left_;  ///< of threads whose slot has another user; other threads may join them
};

}  // namespace omen
