#include "store/records.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace omen::store {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<Status> parse_status(std::string_view name) {
  return find_name<Status>(kStatusNames, name);
}

std::string_view name_of(What what) {
  return kWhatNames[static_cast<std::size_t>(what)];
}

std::optional<What> parse_what(std::string_view name) {
  return find_name<What>(kWhatNames, name);
}

void sort(Snapshot& snapshot) {
  std::ranges::sort(snapshot.runs, {}, [](const Run& run) { return std::tie(run.time, run.id); });
  std::ranges::sort(snapshot.races, {}, &Race::fingerprint);
  for (Race& race : snapshot.races) std::ranges::sort(race.aliases);
  std::map<std::string_view, std::size_t> order;
  for (std::size_t i = 0; i < snapshot.runs.size(); ++i) order.emplace(snapshot.runs[i].id, i);
  std::ranges::sort(snapshot.sightings, [&](const Sighting& a, const Sighting& b) {
    return std::tuple(std::string_view(a.race), order[a.run]) < std::tuple(std::string_view(b.race), order[b.run]);
  });
  std::ranges::sort(snapshot.changes, {},
                    [](const Change& change) { return std::tie(change.time, change.race, change.what, change.value); });
}

std::string storable(std::string_view text) {
  using Json = nlohmann::json;
  // The JSON writer checks UTF-8.
  const std::string valid = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (const char c : Json::parse(valid).get<std::string>()) {
    if (c == '\0') {
      out += "\uFFFD";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace omen::store
