#include "vindicate/region.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "vindicate/closure.hpp"

namespace omen::vindicate {

Region::Region(const TraceIndex& index, std::span<const EventNo> goals, const Cut& relevant, EventNo begin)
    : index_(index), goals_(goals), begin_(begin), base_(before(index, relevant, begin)) {
  for (const EventNo e : goals) {
    if (relevant[index.thread(e)] != index.position(e)) impossible_ = true;
    index.for_each_goal_need(e, [&](EventNo f) { impossible_ = impossible_ || !index.in(relevant, f); });
  }
  if (impossible_) return;
  add_items(relevant);
  add_cells(relevant);
  add_sections(relevant);
  find_mandatory();
}

/// A trace may have thousands of threads, of which the region has few, so these are renumbered.
std::uint32_t Region::number_of(std::size_t thread) {
  const auto [at, is_new] = numbers_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size()));
  if (is_new) {
    threads_.emplace_back();
    completes_.push_back(std::ranges::any_of(goals_, [&](EventNo e) { return index_.thread(e) == thread; }));
  }
  return at->second;
}

/// `items_` is sorted by event, so an event's item is found by binary search.
void Region::add_items(const Cut& relevant) {
  for (const EventNo e : goals_) number_of(index_.thread(e));
  for (std::size_t t = 0; t < relevant.size(); ++t) {
    if (relevant[t] == base_[t]) continue;
    const std::uint32_t number = number_of(t);
    for (const EventNo e : index_.events_of(t).first(relevant[t]).subspan(base_[t])) {
      Item& item = items_.emplace_back();
      item.event = e;
      item.thread = number;
    }
  }
  std::ranges::sort(items_, {}, &Item::event);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    item.position = static_cast<std::uint32_t>(threads_[item.thread].size());
    threads_[item.thread].push_back(i);
    index_.for_each_need(item.event, [&](EventNo f) {
      if (!index_.in(base_, f)) item.needs.push_back(item_of(f));
    });
  }
}

std::uint32_t Region::item_of(EventNo e) const {
  if (e == kNone || index_.in(base_, e)) return kInitial;
  const auto found = std::ranges::lower_bound(items_, e, {}, &Item::event);
  OMEN_CHECK(found != items_.end() && found->event == e);
  return static_cast<std::uint32_t>(found - items_.begin());
}

/// A cell that nothing in the region writes keeps its value, which is what every reader needs: base and readers are in
/// trace order.
void Region::add_cells(const Cut& relevant) {
  std::map<std::pair<CellKind, std::uint32_t>, std::uint32_t> known;
  const auto write = [&](CellKind kind, std::uint32_t i) {
    const auto key = std::pair(kind, index_.event(items_[i].event).operand);
    const auto [at, is_new] = known.emplace(key, static_cast<std::uint32_t>(writers_.size()));
    if (is_new) writers_.emplace_back();
    writers_[at->second].push_back(i);
    items_[i].writes.push_back(at->second);
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Op op = index_.event(items_[i].event).op;
    if (is_write(op) || op == Op::Allocate) write(CellKind::Variable, i);
    if (op == Op::Allocate) write(CellKind::Life, i);
    if (op == Op::AtomicStore || op == Op::AtomicRmw) write(CellKind::Atomic, i);
  }
  const auto condition = [&](CellKind kind, EventNo e, EventNo wanted) -> std::optional<Condition> {
    const auto cell = known.find({kind, index_.event(e).operand});
    if (cell == known.end()) return std::nullopt;
    return Condition{cell->second, item_of(wanted)};
  };
  for (Item& item : items_) {
    const Op op = index_.event(item.event).op;
    const EventNo wanted = index_.link(item.event);
    const auto kind = traits(op).operand == OperandKind::Atomic ? CellKind::Atomic : CellKind::Variable;
    if (index_.may_read_anything(item.event)) {
      if (op == Op::Read) item.condition = condition(CellKind::Life, item.event, index_.life(item.event));
      // A reader that needs the value also needs the writer, so if the writer is missing there is no such reader.
      const bool is_there = wanted == kNone || index_.in(relevant, wanted);
      if (is_there) item.wish = condition(kind, item.event, wanted);
    } else if (op == Op::Read || op == Op::AtomicLoad || op == Op::AtomicRmw) {
      item.condition = condition(kind, item.event, wanted);
    }
    if (is_write(op)) item.condition = condition(CellKind::Life, item.event, wanted);
    const EventNo source = index_.source_of_value(item.event);
    if (source != kNone && !index_.in(base_, source)) item.source = item_of(source);
  }
  for (const EventNo e : goals_) {
    if (!is_access(index_.event(e).op)) continue;
    if (const auto life = condition(CellKind::Life, e, index_.life(e))) at_end_.push_back(*life);
  }
  drop_idle_wishes();
}

/// Backwards: readers of a value come later in the trace than its writer. Keeps the wishes that a condition depends on.
void Region::drop_idle_wishes() {
  std::vector<bool> relied_on(items_.size(), false);  // the value that the item writes
  std::vector<bool> wished(items_.size(), false);
  const auto rely = [&](const std::optional<Condition>& on) {
    if (on && on->value != kInitial) relied_on[on->value] = true;
  };
  for (std::size_t i = items_.size(); i-- > 0;) {
    Item& item = items_[i];
    rely(item.condition);
    if (item.source != kNone && relied_on[i]) {
      wished[item.source] = true;
    } else {
      item.source = kNone;
    }
    if (!wished[i]) item.wish.reset();
    rely(item.wish);
  }
  for (Item& item : items_) {
    if (item.source != kNone && !items_[item.source].wish) item.source = kNone;
  }
}

/// Sections that start in the region, or are open where it begins. Sections without a rival are left out.
void Region::add_sections(const Cut& relevant) {
  std::map<LockId, std::vector<std::uint32_t>> of_lock;
  for (std::uint32_t slot = 0; slot < index_.slots().size(); ++slot) {
    const std::size_t t = index(index_.slots()[slot].thread);
    if (relevant[t] == 0) continue;
    const std::size_t end = index_.entered(slot, relevant[t]);
    if (end == 0) continue;
    const auto all = index_.sections(slot);
    std::size_t at = index_.entered(slot, base_[t]);
    const bool open_at_begin = at > 0 && (all[at - 1].end == kNone || !index_.in(base_, all[at - 1].end));
    if (open_at_begin) --at;
    for (; at < end; ++at) {
      const Section& s = all[at];
      const bool ends = s.end != kNone && index_.in(relevant, s.end);
      of_lock[index_.slots()[slot].lock].push_back(static_cast<std::uint32_t>(sections_.size()));
      sections_.push_back(
          {index_.slots()[slot].lock, number_of(t), index_.shared(s), item_of(s.start), ends ? item_of(s.end) : kNone});
    }
  }
  for (const auto& [lock, all] : of_lock) {
    for (const std::uint32_t a : all) {
      for (const std::uint32_t b : all) {
        const bool rivals = sections_[a].thread != sections_[b].thread && !(sections_[a].shared && sections_[b].shared);
        if (rivals) sections_[a].rivals.push_back(b);
      }
    }
  }
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    if (sections_[s].start != kInitial) items_[sections_[s].start].starts = s;
    if (sections_[s].end != kNone) items_[sections_[s].end].ends = s;
  }
}

/// Backwards: needs and predecessors come earlier in the trace.
void Region::find_mandatory() {
  Cut least(threads_.size(), 0);  // by the region's numbers
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (completes_[t]) least[t] = static_cast<std::uint32_t>(threads_[t].size());
  }
  for (const EventNo e : goals_) {
    index_.for_each_goal_need(e, [&](EventNo f) {
      if (index_.in(base_, f)) return;
      needs_at_end_.push_back(item_of(f));
      const Item& item = items_[needs_at_end_.back()];
      least[item.thread] = std::max(least[item.thread], item.position + 1);
    });
  }
  for (std::size_t i = items_.size(); i-- > 0;) {
    Item& item = items_[i];
    item.mandatory = item.position < least[item.thread];
    if (!item.mandatory) continue;
    for (const std::uint32_t need : item.needs) {
      least[items_[need].thread] = std::max(least[items_[need].thread], items_[need].position + 1);
    }
  }
}

std::vector<EventNo> Region::schedule(const std::vector<std::uint32_t>& items) const {
  std::vector<EventNo> events = in_trace_order(index_, base_);
  events.reserve(events.size() + items.size() + goals_.size());
  for (const std::uint32_t i : items) events.push_back(items_[i].event);
  return events;
}

}  // namespace omen::vindicate
