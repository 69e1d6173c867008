/// \file
/// The explorer with reduction: dynamic partial-order reduction with source sets and sleep sets.
///
/// Two events of different threads depend on each other if they access the same cell and one stores, if they act on the
/// same lock, or if they spawn a thread of the same number. The causal order of an execution is the transitive closure
/// of dependence and program order, with spawn and wait; a vector clock per event holds it. Executions with the same
/// causal order reach the same states, so one of each class is enough:
/// - Two accesses can be simultaneously next after *some* schedule of the class iff they conflict and no third event is
///   causally between them. The events causally before the two form that schedule.
/// - A pair is a happens-before race in one execution of the class iff it is in all: the order of lock operations is
///   part of the class. A second clock, without the accesses, decides it.
#include <algorithm>
#include <bitset>
#include <unordered_map>
#include <utility>

#include "mini/explore.hpp"
#include "trace/error.hpp"

namespace omen::mini {
namespace {

using ThreadSet = std::bitset<kMaxThread + 1>;
using Clock = std::vector<std::uint32_t>;  ///< of each thread: how many of its events are included

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (std::size_t t = 0; t < other.size(); ++t) clock[t] = std::max(clock[t], other[t]);
}
std::uint32_t at(const Clock& clock, ThreadNumber t) {
  return t < clock.size() ? clock[t] : 0;
}

/// The object of an event: a cell, or a thread number.
std::uint64_t object_of(const Next& next) {
  if (next.action == Action::Spawn) return ~std::uint64_t{0} - next.thread;
  return (std::uint64_t{next.cell.reference} << 32) | next.cell.offset;
}
bool has_object(const Next& next) {
  return next.action != Action::Wait && next.action != Action::Fault && next.action != Action::End;
}

/// True if the order of two events on the same object matters.
bool dependent(Action a, Action b) {
  return a != Action::Load || b != Action::Load;
}
/// True if both can be enabled in one state. An unlock and a lock or unlock of the same lock by another thread cannot.
bool co_enabled(Action a, Action b) {
  return a != Action::Unlock && b != Action::Unlock;
}

struct Event {
  ThreadNumber thread = 0;
  Next next;
  std::uint32_t nth = 0;  ///< of its thread, from 1
  Clock causal;           ///< after the event
  Clock sync;
};

/// A state on the path to the current one, and the threads that were and will be tried from it.
struct Level {
  Machine machine;
  ThreadSet enabled, backtrack, done, sleep;
  bool racy = false;  ///< the path to it has a happens-before race
  Event event;        ///< the event being tried
};

class TraceSearch {
 public:
  TraceSearch(const Code& code, const ExploreLimits& limits) : limits_(limits), initial_(code) {}

  Exploration run() {
    enter(initial_, {}, false);
    while (size_ > 0 && found_.exhaustive) {
      Level& level = levels_[size_ - 1];
      const ThreadSet open = level.backtrack & ~level.done & ~level.sleep;
      if (open.none()) {
        leave();
      } else {
        execute(static_cast<ThreadNumber>(open._Find_first()));
      }
    }
    return std::move(found_);
  }

 private:
  /// The clocks of a thread before its next event.
  struct ThreadClocks {
    Clock causal;
    Clock sync;
    std::uint32_t events = 0;
  };

  const Event& event(std::size_t i) const { return levels_[i].event; }
  std::size_t events() const { return size_ - 1; }  ///< executed to reach the current state

  bool before(std::size_t i, const Clock& clock) const { return at(clock, event(i).thread) >= event(i).nth; }

  Schedule schedule() const {
    Schedule schedule;
    for (std::size_t i = 0; i < events(); ++i) schedule.push_back(event(i).thread);
    return schedule;
  }

  /// Pushes a new current state.
  void enter(const Machine& machine, const ThreadSet& sleep, bool racy) {
    if (size_ == levels_.size()) {
      levels_.push_back({machine, {}, {}, {}, sleep, racy, {}});
    } else {
      Level& level = levels_[size_];
      level.machine = machine;
      level.backtrack.reset();
      level.done.reset();
      level.sleep = sleep;
      level.racy = racy;
    }
    ++size_;
    Level& level = levels_[size_ - 1];
    level.enabled.reset();
    bool faulty = false;
    for (ThreadNumber t = 0; t < machine.threads(); ++t) {
      const Action action = machine.next(t).action;
      faulty |= action == Action::Fault;
      if (action != Action::Fault && machine.enabled(t)) level.enabled.set(t);
    }
    if (faulty) note_state(machine, schedule(), found_);
    if (level.enabled.none()) {
      ++found_.executions;
      note_end(machine, schedule(), found_);
      if (!racy && machine.finished()) found_.race_free_finals.insert(results(machine));
    }
    for (ThreadNumber t = 0; t < machine.threads(); ++t) plan(t);
    const ThreadSet awake = level.enabled & ~level.sleep;
    if (awake.any()) level.backtrack.set(awake._Find_first());
    if (size_ > limits_.depth) stop("depth");
    if (size_ * machine.bytes() > limits_.bytes) stop("memory");
  }

  void stop(const char* limit) {
    found_.exhaustive = false;
    found_.limit = limit;
  }

  /// Finds the events that t's next one races with: their order can be reversed, so each is a backtracking point.
  void plan(ThreadNumber t) {
    const Next& next = levels_[size_ - 1].machine.next(t);
    if (next.action == Action::Unborn || !has_object(next)) return;
    const auto known = on_object_.find(object_of(next));
    if (known == on_object_.end()) return;
    const Clock causal = clocks_of(t).causal;
    Clock covered = causal;  // causally before the next event, according to the events visited so far
    for (auto i = known->second.rbegin(); i != known->second.rend(); ++i) {
      const Action action = event(*i).next.action;
      if (!dependent(action, next.action) || !co_enabled(action, next.action) || before(*i, covered)) continue;
      come_back(*i, t, next, causal);
      if (next.action == Action::Lock) return;  // earlier ones precede this one
      join(covered, event(*i).causal);
    }
  }

  /// The race is reversed by the events after i that do not depend on it, and then t's next event: a sequence v. From
  /// the state before i, some thread must be tried whose event can come first in v (a source set). An arbitrary thread
  /// of v is not enough: one that v makes wait may be asleep, and then the events that v needs first would not be
  /// tried.
  void come_back(std::size_t i, ThreadNumber t, const Next& next, const Clock& causal) {
    std::vector<std::size_t> v;
    ThreadSet met;
    ThreadSet initials;
    for (std::size_t j = i + 1; j < events(); ++j) {
      if (before(i, event(j).causal)) continue;
      const ThreadNumber u = event(j).thread;
      const bool first =
          !met.test(u) && std::ranges::none_of(v, [&](std::size_t k) { return before(k, event(j).causal); });
      if (first) initials.set(u);
      met.set(u);
      v.push_back(j);
    }
    const bool first = !met.test(t) && std::ranges::none_of(v, [&](std::size_t k) {
      return before(k, causal) || !independent(event(k).next, next);
    });
    if (first) initials.set(t);
    Level& level = levels_[i];
    OMEN_CHECK((initials & ~level.enabled).none() && initials.any());
    if ((initials & level.backtrack).none()) level.backtrack.set(initials._Find_first());
  }

  ThreadClocks clocks_of(ThreadNumber t) const { return t < clocks_.size() ? clocks_[t].back() : ThreadClocks{}; }

  void execute(ThreadNumber t) {
    Level& level = levels_[size_ - 1];
    level.done.set(t);
    if (found_.steps >= limits_.steps) return stop("steps");
    ++found_.steps;
    clocks_.resize(std::max<std::size_t>(clocks_.size(), level.machine.threads()), {ThreadClocks{}});

    Event& e = level.event;
    e.thread = t;
    e.next = level.machine.next(t);
    const ThreadClocks& own = clocks_[t].back();
    e.nth = own.events + 1;
    e.causal = own.causal;
    e.sync = own.sync;
    racy_event_ = false;
    compute_clocks(e);
    const bool level_racy = level.racy || racy_event_;

    ThreadSet sleep = level.sleep | level.done;
    sleep.reset(t);
    for (ThreadNumber u = 0; u < level.machine.threads(); ++u) {
      if (sleep.test(u) && !independent(e.next, level.machine.next(u))) sleep.reset(u);
    }

    next_machine_ = level.machine;
    next_machine_.step(t);
    const bool twice = next_machine_.next(t).fault == Fault::ThreadTwice && e.next.action == Action::Spawn;
    remember(e, size_ - 1, twice);
    enter(next_machine_, sleep, level_racy);
  }

  static bool independent(const Next& a, const Next& b) {
    if (!has_object(a) || !has_object(b) || object_of(a) != object_of(b)) return true;
    return !dependent(a.action, b.action);
  }

  /// Completes the event's clocks, and notes the races with it as their second access.
  void compute_clocks(Event& e) {
    const Clock causal_before = e.causal;
    if (e.next.action == Action::Wait) {
      join(e.causal, clocks_[e.next.thread].back().causal);
      join(e.sync, clocks_[e.next.thread].back().sync);
    } else if (const auto known = on_object_.find(object_of(e.next)); known != on_object_.end()) {
      const std::vector<std::size_t>& others = known->second;
      for (const std::size_t i : others) {
        if (!dependent(event(i).next.action, e.next.action)) continue;
        join(e.causal, event(i).causal);
        if (e.next.action == Action::Lock && event(i).next.action == Action::Unlock) join(e.sync, event(i).sync);
      }
      if (is_access(e.next.action)) note_races(e, causal_before, others);
    }
    for (Clock* clock : {&e.causal, &e.sync}) {
      if (clock->size() <= e.thread) clock->resize(e.thread + 1, 0);
      (*clock)[e.thread] = e.nth;
    }
  }

  void note_races(const Event& e, const Clock& causal_before, const std::vector<std::size_t>& others) {
    Clock covered = causal_before;
    for (auto next = others.rbegin(); next != others.rend(); ++next) {
      const std::size_t i = *next;
      const Event& other = event(i);
      if (!dependent(other.next.action, e.next.action)) continue;
      const bool adjacent = !before(i, covered);
      join(covered, other.causal);
      if (other.thread == e.thread) continue;
      const RaceSites sites = sites_of(other.next, e.next);
      const bool unordered = !before(i, e.sync);
      racy_event_ |= unordered;
      if (unordered && !found_.hb_races.contains(sites)) {
        found_.hb_races.emplace(sites, Example{schedule(), name(e)});
      }
      if (!adjacent || found_.races.contains(sites)) continue;
      Schedule to_both;
      for (std::size_t k = 0; k < events(); ++k) {
        if (k != i && (before(k, other.causal) || before(k, causal_before))) to_both.push_back(event(k).thread);
      }
      found_.races.emplace(sites, Example{std::move(to_both), name(e)});
    }
  }

  std::string name(const Event& e) const { return initial_.cell_name(*e.next.instruction, e.next.cell); }

  void remember(const Event& e, std::size_t index, bool twice) {
    if (has_object(e.next)) on_object_[object_of(e.next)].push_back(index);
    clocks_[e.thread].push_back({e.causal, e.sync, e.nth});
    if (e.next.action != Action::Spawn || twice) return;
    if (clocks_.size() <= e.next.thread) clocks_.resize(e.next.thread + 1, {ThreadClocks{}});
    clocks_[e.next.thread].push_back({e.causal, e.sync, 0});
  }

  /// Returns to the state before the current one.
  void leave() {
    --size_;
    if (size_ == 0) return;
    const Event& e = event(size_ - 1);
    const Machine& after = levels_[size_].machine;
    if (has_object(e.next)) on_object_[object_of(e.next)].pop_back();
    clocks_[e.thread].pop_back();
    if (e.next.action == Action::Spawn && after.next(e.thread).fault != Fault::ThreadTwice) {
      clocks_[e.next.thread].pop_back();
    }
  }

  const ExploreLimits& limits_;
  const Machine initial_;
  Machine next_machine_{initial_};
  std::vector<Level> levels_;  ///< the first `size_` are in use; the others keep their memory
  std::size_t size_ = 0;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> on_object_;  ///< events, by object
  std::vector<std::vector<ThreadClocks>> clocks_;                          ///< of each thread: a stack
  bool racy_event_ = false;  ///< the event being executed has a happens-before race with an earlier one
  Exploration found_;
};

}  // namespace

Exploration explore_traces(const Code& code, const ExploreLimits& limits) {
  return TraceSearch(code, limits).run();
}

}  // namespace omen::mini
