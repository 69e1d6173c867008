#include "vindicate/closure.hpp"

#include <algorithm>
#include <array>

namespace omen::vindicate {
namespace {

std::array<EventNo, 2> both(Pair pair) {
  return {pair.first, pair.second};
}

}  // namespace

void Closure::start(std::span<const EventNo> goals, bool lenient) {
  limit_.resize(index_.threads());
  for (std::size_t t = 0; t < limit_.size(); ++t) limit_[t] = static_cast<std::uint32_t>(index_.events_of(t).size());
  for (const EventNo e : goals) limit_[index_.thread(e)] = index_.position(e);
  builder_.start(limit_, lenient);
  for (const EventNo e : goals) {
    builder_.want(index_.thread(e), index_.position(e));
    index_.for_each_goal_need(e, [&](EventNo f) { builder_.want(f); });
  }
}

bool Closure::meet(std::span<const EventNo> goals) {
  start(goals, /*lenient=*/false);
  return builder_.close();
}

bool Closure::ordered(Pair pair) {
  return !meet(both(pair)) || common_lock(pair).has_value();
}

std::optional<Schedule> Closure::in_trace_order(Pair pair) {
  start(both(pair), /*lenient=*/false);
  if (!builder_.close_in_order() || !keeps_life(pair, builder_.cut())) return std::nullopt;
  return Schedule{.cut = builder_.cut()};
}

std::optional<Schedule> Closure::section_last(Pair pair, EventNo racing) {
  const std::size_t t = index_.thread(racing);
  const std::uint32_t end = index_.position(racing);
  std::uint32_t from = end;
  for (const std::uint32_t slot : index_.slots_of(index_.event(racing).thread)) {
    if (const Section* open = open_at(racing, slot)) from = std::min(from, index_.position(open->start));
  }
  if (from == end) return std::nullopt;
  start(both(pair), /*lenient=*/false);
  if (!builder_.close_in_order(t, from) || !keeps_life(pair, builder_.cut())) return std::nullopt;
  return Schedule{builder_.cut(), t, from};
}

/// The section of the slot that contains an access of its thread.
const Section* Closure::open_at(EventNo access, std::uint32_t slot) const {
  const std::size_t entered = index_.entered(slot, index_.position(access));
  if (entered == 0) return nullptr;
  const Section& last = index_.sections(slot)[entered - 1];
  return last.end != kNone && last.end < access ? nullptr : &last;
}

std::optional<LockId> Closure::common_lock(Pair pair) const {
  const ThreadId other = index_.event(pair.second).thread;
  for (const std::uint32_t slot : index_.slots_of(index_.event(pair.first).thread)) {
    const Section* mine = open_at(pair.first, slot);
    if (mine == nullptr) continue;
    for (const std::uint32_t rival : index_.slots_of(index_.slots()[slot].lock)) {
      if (index_.slots()[rival].thread != other) continue;
      const Section* theirs = open_at(pair.second, rival);
      if (theirs != nullptr && !(index_.shared(*mine) && index_.shared(*theirs))) {
        return index_.slots()[slot].lock;
      }
    }
  }
  return std::nullopt;
}

/// True if there is no allocation after the one that began the pair's life.
bool Closure::keeps_life(Pair pair, const Cut& cut) const {
  const auto all = index_.allocations(index_.event(pair.first).variable());
  const EventNo life = index_.life(pair.first);
  return std::ranges::none_of(all, [&](EventNo a) { return (life == kNone || a > life) && index_.in(cut, a); });
}

Cut Closure::relevant(std::span<const EventNo> goals) {
  start(goals, /*lenient=*/true);
  builder_.close_with_ends();
  Cut allowed(index_.threads(), 0);
  for (const EventNo e : vindicate::in_trace_order(index_, builder_.cut())) {
    const std::size_t t = index_.thread(e);
    if (allowed[t] != index_.position(e)) continue;
    bool possible = true;
    index_.for_each_need(e, [&](EventNo f) { possible = possible && index_.in(allowed, f); });
    if (possible) ++allowed[t];
  }
  return allowed;
}

std::vector<EventNo> in_trace_order(const TraceIndex& index, const Cut& cut) {
  const Schedule schedule{.cut = cut};
  std::vector<EventNo> events;
  events.reserve(schedule.size() + 2);
  schedule.for_each(index, [&](EventNo e) { events.push_back(e); });
  return events;
}

Cut before(const TraceIndex& index, const Cut& cut, EventNo begin) {
  Cut result(cut.size());
  for (std::size_t t = 0; t < cut.size(); ++t) {
    const auto events = index.events_of(t).first(cut[t]);
    result[t] = static_cast<std::uint32_t>(std::ranges::lower_bound(events, begin) - events.begin());
  }
  return result;
}

}  // namespace omen::vindicate
