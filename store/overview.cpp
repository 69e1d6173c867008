#include "store/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/check.hpp"

namespace omen::store {

std::vector<RaceOverview> overview(const Snapshot& snapshot) {
  std::map<std::string_view, const Run*> runs;
  for (const Run& run : snapshot.runs) runs.emplace(run.id, &run);
  std::vector<RaceOverview> all;
  std::map<std::string_view, std::size_t> index;
  for (const Race& race : snapshot.races) {
    index.emplace(race.fingerprint, all.size());
    RaceOverview& one = all.emplace_back();
    one.race = &race;
    one.owner = race.code_owner;
  }
  for (const Sighting& sighting : snapshot.sightings) {
    RaceOverview& one = all[index.at(sighting.race)];
    const Run* const run = runs.at(sighting.run);
    if (one.first == nullptr) one.first = run;
    one.last = run;
    one.latest = &sighting;
    one.seen.push_back(&sighting);
    if (!run->commit.empty() && std::ranges::find(one.commits, run->commit) == one.commits.end()) {
      one.commits.push_back(run->commit);
    }
  }
  for (const Change& change : snapshot.changes) {
    RaceOverview& one = all[index.at(change.race)];
    one.changes.push_back(&change);
    if (change.what == What::Status) one.status = parse_status(change.value).value_or(Status::New);
    if (change.what == What::Owner) one.owner = change.value;
  }
  for (const RaceOverview& one : all) OMEN_CHECK(one.latest != nullptr);
  return all;
}

void sort_by_importance(std::vector<RaceOverview>& races) {
  std::ranges::sort(races, [](const RaceOverview& a, const RaceOverview& b) {
    if (is_open(a.status) != is_open(b.status)) return is_open(a.status);
    if (a.last->time != b.last->time) return a.last->time > b.last->time;
    return a.fingerprint() < b.fingerprint();
  });
}

std::string folder_of(std::string_view file) {
  if (file.empty()) return "?";
  const std::size_t slash = file.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(file.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string place_of(const Sighting& sighting) {
  if (sighting.file.empty()) return "?";
  return sighting.line == 0 ? sighting.file : fmt::format("{}:{}", sighting.file, sighting.line);
}

}  // namespace omen::store
