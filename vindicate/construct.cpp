#include "vindicate/construct.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

namespace omen::vindicate {
namespace {

class Construction {
 public:
  explicit Construction(const ConstraintGraph& graph)
      : graph_(graph),
        index_(graph.trace()),
        left_(graph.nodes()),
        slots_(index_.slots().size()),
        begun_(left_.size(), false),
        first_node_(left_.size(), 0) {
    std::size_t nodes = 0;
    for (const std::size_t t : graph_.threads()) {
      first_node_[t] = nodes;
      nodes += left_[t];
      add_slots(ThreadId{static_cast<std::uint32_t>(t)});
    }
    for (const EventNo e : {graph.pair().first, graph.pair().second}) {
      if (left_[index_.thread(e)] == 0) add_slots(index_.event(e).thread);
    }
    pending_.assign(nodes, 0);
    for (const std::size_t t : graph_.threads()) {
      by_last_.push_back(t);
      for (const EventNo e : index_.events_of(t).first(left_[t])) {
        graph_.for_each_source(e, [&](EventNo f) { ++pending_[node(f)]; });
      }
    }
    std::ranges::sort(by_last_, std::greater{}, [&](std::size_t t) { return last(t); });
    for (const EventNo e : {graph.pair().first, graph.pair().second}) begin(index_.thread(e));
  }

  std::variant<std::vector<EventNo>, MissingEnds> run() {
    std::vector<EventNo> backwards{graph_.pair().second, graph_.pair().first};
    backwards.reserve(pending_.size() + 2);
    while (backwards.size() < pending_.size() + 2) {
      const auto at = latest_legal();
      if (!at) return missing_ends();
      const EventNo e = last(by_last_[*at]);
      prepend(e);
      backwards.push_back(e);
      sink(*at);
    }
    std::ranges::reverse(backwards);
    return backwards;
  }

 private:
  /// The state of a thread's sections on a lock in the built part of the trace.
  struct SlotState {
    bool inside = false;  ///< a section's end, or its open end, has been built, but not its start
    bool inside_shared = false;
    bool shared = false;  ///< part or all of a shared section has been built
    bool exclusive = false;
  };

  std::size_t node(EventNo e) const { return first_node_[index_.thread(e)] + index_.position(e); }

  EventNo last(std::size_t t) const { return index_.events_of(t)[left_[t] - 1]; }

  /// Returns the index in `by_last_`.
  std::optional<std::size_t> latest_legal() const {
    for (std::size_t i = 0; i < by_last_.size(); ++i) {
      if (legal(last(by_last_[i]))) return i;
    }
    return std::nullopt;
  }

  void add_slots(ThreadId t) {
    for (const std::uint32_t slot : index_.slots_of(t)) {
      slots_of_lock_[index_.slots()[slot].lock].push_back(slot);
    }
  }

  bool legal(EventNo e) const {
    if (pending_[node(e)] != 0) return false;
    const std::size_t t = index_.thread(e);
    if (!begun_[t] && !blocking_open_sections(t).empty()) return false;
    if (!ends_section(index_.event(e))) return true;
    const Section& section = index_.section(index_.link(e));
    return !meets_rival(section, [&](const SlotState& other) {
      return other.inside && !(other.inside_shared && index_.shared(section));
    });
  }

  /// True if `what` holds for another thread's state on the section's lock.
  template <class What>
  bool meets_rival(const Section& section, What what) const {
    return std::ranges::any_of(slots_of_lock_.at(index_.slots()[section.slot].lock),
                               [&](std::uint32_t slot) { return slot != section.slot && what(slots_[slot]); });
  }

  /// Visits the sections that the thread's nodes enter and do not end. They last until the end of the reordered trace.
  template <class Visit>
  void for_each_open_section(std::size_t t, Visit visit) const {
    const std::uint32_t nodes = graph_.nodes()[t];
    for (const std::uint32_t slot : index_.slots_of(ThreadId{static_cast<std::uint32_t>(t)})) {
      const std::size_t entered = index_.entered(slot, nodes);
      if (entered == 0) continue;
      const Section& last = index_.sections(slot)[entered - 1];
      if (last.end == kNone || index_.position(last.end) >= nodes) visit(last);
    }
  }

  /// Open sections of the thread that would come before a rival section which has already been built.
  std::vector<const Section*> blocking_open_sections(std::size_t t) const {
    std::vector<const Section*> blocking;
    for_each_open_section(t, [&](const Section& open) {
      const bool shared = index_.shared(open);
      if (meets_rival(open, [&](const SlotState& other) { return other.exclusive || (other.shared && !shared); })) {
        blocking.push_back(&open);
      }
    });
    return blocking;
  }

  void enter(const Section& section) {
    SlotState& state = slots_[section.slot];
    state.inside = true;
    state.inside_shared = index_.shared(section);
    (state.inside_shared ? state.shared : state.exclusive) = true;
  }

  /// Called before the thread's last node is prepended.
  void begin(std::size_t t) {
    begun_[t] = true;
    for_each_open_section(t, [&](const Section& open) { enter(open); });
  }

  void prepend(EventNo e) {
    const std::size_t t = index_.thread(e);
    if (!begun_[t]) begin(t);
    if (ends_section(index_.event(e))) enter(index_.section(index_.link(e)));
    if (starts_section(index_.event(e))) slots_[index_.section(index_.link(e)).slot].inside = false;
    --left_[t];
    graph_.for_each_source(e, [&](EventNo f) { --pending_[node(f)]; });
  }

  /// Re-sorts the thread at `at` of `by_last_`, whose last event is now an earlier one, or none.
  void sink(std::size_t at) {
    const std::size_t t = by_last_[at];
    if (left_[t] == 0) {
      by_last_.erase(by_last_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    for (; at + 1 < by_last_.size() && last(by_last_[at + 1]) > last(t); ++at) by_last_[at] = by_last_[at + 1];
    by_last_[at] = t;
  }

  /// Finds the latest thread that only open sections prevent from starting.
  MissingEnds missing_ends() const {
    std::vector<EventNo> ends;
    for (const std::size_t t : by_last_) {
      if (begun_[t]) continue;
      const EventNo e = last(t);
      if (pending_[node(e)] != 0) continue;
      std::vector<EventNo> found;
      for (const Section* open : blocking_open_sections(t)) {
        if (open->end != kNone) found.push_back(open->end);
      }
      if (found.empty()) continue;
      ends = std::move(found);
      break;
    }
    return {std::move(ends)};
  }

  const ConstraintGraph& graph_;
  const TraceIndex& index_;
  Cut left_;  ///< for each thread, the number of nodes not yet prepended
  std::vector<SlotState> slots_;
  std::unordered_map<LockId, std::vector<std::uint32_t>> slots_of_lock_;  ///< slots of threads in the witness
  std::vector<bool> begun_;
  std::vector<std::size_t> first_node_;
  std::vector<std::uint32_t> pending_;  ///< for each node, the number of edges to nodes not yet prepended
  std::vector<std::size_t> by_last_;    ///< threads with such nodes, the one with the latest last node first
};

}  // namespace

std::variant<std::vector<EventNo>, MissingEnds> construct(const ConstraintGraph& graph) {
  return Construction(graph).run();
}

}  // namespace omen::vindicate
