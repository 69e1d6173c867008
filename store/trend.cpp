#include "store/trend.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace omen::store {
namespace {

/// An entry of a race's history.
struct Happening {
  Time time;
  std::size_t order = 0;               ///< position among those at the same time
  const Sighting* sighting = nullptr;  ///< or
  const Change* change = nullptr;      ///< a change of status
};

std::vector<Happening> happenings(const Snapshot& snapshot) {
  std::map<std::string_view, Time> times;
  for (const Run& run : snapshot.runs) times.emplace(run.id, run.time);
  std::vector<Happening> all;
  // At equal times sightings come first: a race must exist before it has a status.
  for (const Sighting& one : snapshot.sightings) all.push_back({times.at(one.run), all.size(), &one, nullptr});
  for (const Change& one : snapshot.changes) {
    if (one.what == What::Status) all.push_back({one.time, all.size(), nullptr, &one});
  }
  std::ranges::sort(all, {}, [](const Happening& one) { return std::pair(one.time, one.order); });
  return all;
}

}  // namespace

std::vector<TrendRow> trend(const Snapshot& snapshot, Period period) {
  std::map<std::string, TrendRow> rows;
  std::map<std::string, std::set<std::string_view>> seen;
  const auto row = [&](Time time) -> TrendRow& {
    std::string from = period_of(time, period);
    TrendRow& one = rows[from];
    one.from = std::move(from);
    return one;
  };
  for (const Run& run : snapshot.runs) ++row(run.time).runs;
  std::map<std::string_view, bool> open;  // by race
  std::size_t open_now = 0;
  std::map<std::string, std::size_t> open_at_end;
  for (const Happening& one : happenings(snapshot)) {
    TrendRow& now = row(one.time);
    const std::string_view race = one.sighting != nullptr ? one.sighting->race : one.change->race;
    const auto [state, is_first] = open.try_emplace(race, true);
    if (is_first) {
      ++now.fresh;
      ++open_now;
    }
    if (one.sighting != nullptr) seen[now.from].insert(race);
    if (one.change != nullptr) {
      const bool opened = is_open(parse_status(one.change->value).value_or(Status::New));
      if (opened && !state->second) {
        ++now.reopened;
        ++open_now;
      } else if (!opened && state->second) {
        ++now.closed;
        --open_now;
      }
      state->second = opened;
    }
    open_at_end[now.from] = open_now;
  }
  std::vector<TrendRow> all;
  std::size_t last = 0;
  for (auto& [from, one] : rows) {
    one.seen = seen[from].size();
    if (const auto known = open_at_end.find(from); known != open_at_end.end()) last = known->second;
    one.open = last;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace omen::store
