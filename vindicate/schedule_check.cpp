#include "vindicate/schedule_check.hpp"

#include <algorithm>
#include <array>

namespace omen::vindicate {
namespace {

constexpr EventNo kBlock = 2048;

/// How many events of a thread come before the part that is moved to the end.
std::uint32_t in_trace_order(const Schedule& schedule, std::size_t thread) {
  return thread == schedule.last ? schedule.from : schedule.cut[thread];
}

}  // namespace

void ScheduleChecks::run(std::span<CheckedSchedule> schedules) {
  if (schedules.empty()) return;
  const std::size_t threads = index_.threads();
  std::vector<std::unique_ptr<Shared>> all;
  all.push_back(std::make_unique<Shared>(checker_, threads));
  for (CheckedSchedule& schedule : schedules) all.front()->members.push_back(&schedule);
  Cut seen(threads, 0);  // events of each thread before the block
  const auto size = static_cast<EventNo>(index_.size());
  for (EventNo begin = 0; begin < size && !all.empty();) {
    const EventNo end = begin + std::min(kBlock, size - begin);
    Cut after = seen;
    for (EventNo e = begin; e < end; ++e) ++after[index_.thread(e)];
    separate(all, seen, after);
    for (const auto& shared : all) pass(*shared, begin, end);
    seen = std::move(after);
    begin = end;
  }
  for (const auto& shared : all) {
    for (CheckedSchedule* member : shared->members) finish(*shared, *member);
  }
}

/// Finishes schedules with no event left, or rejected ones; gives those that differ in the coming block a run of their
/// own.
void ScheduleChecks::separate(std::vector<std::unique_ptr<Shared>>& all, const Cut& seen, const Cut& after) const {
  const std::size_t threads = seen.size();
  const auto done = [&](const Schedule& s) {
    for (std::size_t t = 0; t < threads; ++t) {
      if (in_trace_order(s, t) > seen[t]) return false;
    }
    return true;
  };
  const auto alike = [&](const Schedule& a, const Schedule& b) {
    for (std::size_t t = 0; t < threads; ++t) {
      if (std::min(in_trace_order(a, t), after[t]) != std::min(in_trace_order(b, t), after[t])) return false;
    }
    return true;
  };
  std::vector<std::unique_ptr<Shared>> apart;
  for (const auto& shared : all) {
    std::erase_if(shared->members, [&](CheckedSchedule* member) {
      if (shared->accepted && !done(member->schedule)) return false;
      finish(*shared, *member);
      return true;
    });
    while (!shared->members.empty()) {
      const CheckedSchedule* first = shared->members.front();
      std::vector<CheckedSchedule*> same;
      std::vector<CheckedSchedule*> others;
      for (CheckedSchedule* member : shared->members) {
        (alike(member->schedule, first->schedule) ? same : others).push_back(member);
      }
      if (others.empty()) break;
      auto own = std::make_unique<Shared>(*shared);
      own->members = std::move(same);
      shared->members = std::move(others);
      apart.push_back(std::move(own));
    }
  }
  std::erase_if(all, [](const auto& shared) { return shared->members.empty(); });
  std::ranges::move(apart, std::back_inserter(all));
}

void ScheduleChecks::pass(Shared& shared, EventNo begin, EventNo end) const {
  const Schedule& schedule = shared.members.front()->schedule;
  Cut cut = schedule.cut;
  if (schedule.last != kNone) cut[schedule.last] = schedule.from;
  // Whether an event belongs to the cut is hard to predict: first select those that do, without a branch.
  std::array<EventNo, kBlock> events;
  std::size_t n = 0;
  for (EventNo e = begin; e < end; ++e) {
    events[n] = e;
    n += static_cast<std::size_t>(index_.in(cut, e));
  }
  for (std::size_t i = 0; i < n && shared.accepted; ++i) step(shared, events[i]);
}

void ScheduleChecks::step(Shared& shared, EventNo e) const {
  shared.kept = shared.kept && order_.allows(e, shared.done);
  ++shared.done[index_.thread(e)];
  shared.accepted = shared.run.step(e);
}

/// Works on a copy of the run, which the others continue.
void ScheduleChecks::finish(Shared shared, CheckedSchedule& member) const {
  const Schedule& schedule = member.schedule;
  if (schedule.last != kNone) {
    const auto tail = index_.events_of(schedule.last).first(schedule.cut[schedule.last]).subspan(schedule.from);
    for (std::size_t i = 0; i < tail.size() && shared.accepted; ++i) step(shared, tail[i]);
  }
  const auto [one, other] = member.pair;
  member.accepted = shared.accepted && shared.run.race(one, other);
  member.under_ca = shared.kept && order_.allows(one, shared.done, other) && order_.allows(other, shared.done, one);
  if (!member.accepted) member.refusal = shared.run.refusal();
}

}  // namespace omen::vindicate
