#include "cli/value_origins.hpp"

#include <algorithm>

namespace omen::cli {

ValueOrigins::ValueOrigins(const Trace& trace, const values::ValueTrace& values,
                           const std::vector<std::uint32_t>& origin)
    : trace_(trace), values_(values), origin_(origin), events_(trace.threads()) {
  for (std::uint32_t i = 0; i < trace.size(); ++i) events_[index(trace.events[i].thread)].push_back(i);
}

std::string ValueOrigins::text(std::uint64_t event) const {
  // The thread's computations before the event have the same origin, and precede it.
  const auto behind = std::ranges::upper_bound(origin_, event);
  if (behind == origin_.begin() || *std::prev(behind) != event) return {};
  return values_.names.text(values_.events[static_cast<std::size_t>(behind - origin_.begin()) - 1].location);
}

std::vector<std::uint32_t> ValueOrigins::events_of(std::span<const std::uint32_t> schedule) const {
  return witness(schedule, {});
}

std::vector<std::uint32_t> ValueOrigins::witness(std::span<const std::uint32_t> schedule,
                                                 const std::vector<std::uint32_t>& pair) const {
  std::vector<std::uint32_t> witness;
  std::vector<std::size_t> next(events_.size(), 0);
  const auto advance = [&](std::uint32_t end, bool inclusive) {
    const std::size_t thread = index(trace_.events[end].thread);
    const auto& own = events_[thread];
    for (; next[thread] < own.size() && own[next[thread]] < end + (inclusive ? 1U : 0U); ++next[thread]) {
      witness.push_back(own[next[thread]]);
    }
  };
  for (const std::uint32_t event : schedule) advance(of(event), true);
  for (const std::uint32_t event : pair) advance(of(event), false);
  for (const std::uint32_t event : pair) witness.push_back(of(event));
  return witness;
}

std::vector<report::ReadChange> ValueOrigins::changes(const std::vector<relax::Observed>& accesses) const {
  std::vector<report::ReadChange> changes;
  for (const relax::Observed& access : accesses) {
    if (access.event >= values_.size()) continue;
    const values::ValueEvent& event = values_.events[access.event];
    if (!values::reads_memory(event.act) || event.recorded == access.value) continue;
    changes.push_back({.event = of(access.event), .recorded = event.recorded, .now = access.value});
  }
  return changes;
}

}  // namespace omen::cli
