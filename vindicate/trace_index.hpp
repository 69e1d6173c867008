/// \file
/// An index of a trace for the confirmation steps, built once in linear time: the events of each thread, the needs of
/// each event, and the critical sections. It takes 12 bytes per event and 12 per section.
///
/// An event *needs* the events that every correct reordering executes before it, besides its program-order predecessors
/// (docs/event-model.md, "Reorderings"): the fork of its thread, the thread that it joins, the arrivals of its barrier
/// round, the last writer of what it reads, and the allocation that began its variable's life. Needs precede the event
/// in the trace. Under DATA, a read of an update does not need its last writer. A read of an update's result needs the
/// chain of updates that the value comes from: each of them must read its recorded value.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/checker.hpp"
#include "trace/trace.hpp"

namespace omen::vindicate {

using checker::Model;

/// The position of an event in its trace; confirmation supports traces of fewer than 2^32 - 1 events.
using EventNo = std::uint32_t;
inline constexpr EventNo kNone = ~EventNo{0};

/// Two conflicting accesses, the earlier one first.
struct Pair {
  EventNo first = kNone;
  EventNo second = kNone;
  auto operator<=>(const Pair&) const = default;
};

/// A set of events that is closed under program order: for each thread, how many of its events belong to it.
using Cut = std::vector<std::uint32_t>;

struct Section {
  EventNo start;
  EventNo end;  ///< `kNone`: it never ends
  std::uint32_t slot;
};

/// A thread and a lock that it takes. Its sections follow each other in `TraceIndex::sections(slot)`.
struct Slot {
  ThreadId thread;
  LockId lock;
  bool any_shared = false;
  bool any_exclusive = false;
};

class TraceIndex {
 public:
  /// The trace must be well formed, with `nested` set, and outlive the index.
  explicit TraceIndex(const Trace& trace, Model model = Model::Data);

  Model model() const { return model_; }
  /// Some read may return another value: DATA differs from LW.
  bool has_updates() const { return has_updates_; }

  const Trace& trace() const { return trace_; }
  const Event& event(EventNo e) const { return trace_.events[e]; }
  std::size_t size() const { return trace_.size(); }
  std::size_t threads() const { return first_of_thread_.size() - 1; }
  std::size_t thread(EventNo e) const { return index(trace_.events[e].thread); }

  std::uint32_t position(EventNo e) const { return position_[e]; }
  std::span<const EventNo> events_of(std::size_t thread) const {
    return std::span(by_thread_)
        .subspan(first_of_thread_[thread], first_of_thread_[thread + 1] - first_of_thread_[thread]);
  }
  bool in(const Cut& cut, EventNo e) const { return position_[e] < cut[thread(e)]; }

  /// A read: the last write, free or allocation of its variable. A write or free: the last allocation. An atomic load
  /// or rmw: the last atomic write. An event that starts or ends a section: the section. A barrier event: its round.
  std::uint32_t link(EventNo e) const { return link_[e]; }

  /// True if the event may read another value: it is the read of an update, or a whole update.
  bool may_read_anything(EventNo e) const {
    return model_ == Model::Data && event(e).update && event(e).op != Op::Write;
  }
  /// The read that determines the value of the write, if that may change: of an update, itself if it is a whole update.
  /// `kNone`: it writes its recorded value.
  EventNo source_of_value(EventNo write) const;

  /// The allocation that began the life of an access; `kNone` in the first life.
  EventNo life(EventNo access) const;
  /// All allocations of a variable, in order.
  std::span<const EventNo> allocations(VariableId x) const;
  bool conflict(EventNo e, EventNo f) const;

  std::span<const EventNo> arrivals(std::uint32_t round) const { return arrivals_[round]; }
  const Section& section(std::uint32_t id) const { return sections_[id]; }
  bool shared(const Section& s) const { return event(s.start).op == Op::AcquireShared; }
  std::span<const Slot> slots() const { return slots_; }
  std::span<const Section> sections(std::uint32_t slot) const {
    return std::span(sections_).subspan(first_of_slot_[slot], first_of_slot_[slot + 1] - first_of_slot_[slot]);
  }
  std::span<const std::uint32_t> slots_of(ThreadId t) const { return slots_of_thread_[index(t)]; }
  std::span<const std::uint32_t> slots_of(LockId m) const { return slots_of_lock_[index(m)]; }
  /// The last exclusive section among the slot's first n.
  const Section* last_exclusive(std::uint32_t slot, std::size_t n) const;
  /// How many sections of the slot start before the thread's event number `cut`.
  std::size_t entered(std::uint32_t slot, std::uint32_t cut) const;

  /// The events that have to be executed before the thread of `e` can be before it, besides its program-order
  /// predecessors. For a racing access the writer does not matter, the life does. A requested lock need not be free.
  template <class Visit>
  void for_each_goal_need(EventNo e, Visit visit) const {
    if (position_[e] == 0 && fork_[thread(e)] != kNone) visit(fork_[thread(e)]);
    if (is_access(trace_.events[e].op) && life(e) != kNone) visit(life(e));
  }

  /// Calls `visit(f)` for each event that `e` needs, other than its program-order predecessor.
  template <class Visit>
  void for_each_need(EventNo e, Visit visit) const {
    const Event& event = trace_.events[e];
    if (!has_updates_ || (!event.update && chains_.empty())) return for_each_lw_need(e, visit);
    if (may_read_anything(e)) {
      if (position_[e] == 0 && fork_[index(event.thread)] != kNone) visit(fork_[index(event.thread)]);
      if (is_access(event.op) && life(e) != kNone) visit(life(e));
      return;
    }
    for_each_lw_need(e, visit);
    if (const auto chain = chains_.find(e); chain != chains_.end()) {
      for (const EventNo f : chain->second) visit(f);
    }
  }

  /// The needs under LW.
  template <class Visit>
  void for_each_lw_need(EventNo e, Visit visit) const {
    const Event& event = trace_.events[e];
    if (position_[e] == 0 && fork_[index(event.thread)] != kNone) visit(fork_[index(event.thread)]);
    switch (event.op) {
      case Op::Read:
      case Op::Write:
      case Op::Free:
      case Op::AtomicLoad:
      case Op::AtomicRmw:
        if (link_[e] != kNone) visit(link_[e]);
        return;
      case Op::BarrierLeave:
        for (const EventNo arrive : arrivals_[link_[e]]) visit(arrive);
        return;
      case Op::Join: {
        const std::span<const EventNo> child = events_of(index(event.target()));
        if (!child.empty()) {
          visit(child.back());
        } else if (fork_[index(event.target())] != kNone) {
          visit(fork_[index(event.target())]);
        }
        return;
      }
      default:
        return;
    }
  }

 private:
  void find_threads();
  void find_links();
  void find_chains();
  void find_sections();

  const Trace& trace_;
  Model model_;
  bool has_updates_ = false;
  std::vector<std::uint32_t> position_;         ///< of each event in its thread
  std::vector<EventNo> by_thread_;              ///< events, grouped by thread
  std::vector<std::uint32_t> first_of_thread_;  ///< in `by_thread_`
  std::vector<EventNo> fork_;                   ///< of each thread
  std::vector<std::uint32_t> link_;
  /// DATA, for a read that may not change and sees an update: for each thread the last one in the chain of updates that
  /// the value comes from, and the start of that chain.
  std::unordered_map<EventNo, std::vector<EventNo>> chains_;
  std::vector<std::vector<EventNo>> arrivals_;  ///< of each barrier round
  std::unordered_map<VariableId, std::vector<EventNo>> allocations_;
  std::vector<Section> sections_;  ///< grouped by slot
  std::vector<std::uint32_t> first_of_slot_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> slots_of_thread_;
  std::vector<std::vector<std::uint32_t>> slots_of_lock_;
};

constexpr bool starts_section(const Event& e) {
  return !e.nested && (e.op == Op::Acquire || e.op == Op::AcquireShared || e.op == Op::Wake);
}
constexpr bool ends_section(const Event& e) {
  return !e.nested && (e.op == Op::Release || e.op == Op::ReleaseShared || e.op == Op::Wait);
}

}  // namespace omen::vindicate
