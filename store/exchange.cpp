#include "store/exchange.hpp"

#include <nlohmann/json.hpp>

namespace omen::store {
namespace {

using Json = nlohmann::ordered_json;

Json change_json(const Change& change) {
  return {{"time", time_text(change.time)},
          {"author", change.author},
          {"what", name_of(change.what)},
          {"value", change.value}};
}

}  // namespace

Json as_json(const Snapshot& snapshot) {
  Json runs = Json::array();
  for (const Run& run : snapshot.runs) {
    runs.push_back({{"id", run.id},
                    {"time", time_text(run.time)},
                    {"commit", run.commit},
                    {"branch", run.branch},
                    {"label", run.label},
                    {"program", run.program},
                    {"complete", run.complete}});
  }
  Json races = Json::array();
  for (const Race& race : snapshot.races) {
    races.push_back({{"fingerprint", race.fingerprint},
                     {"aliases", race.aliases},
                     {"kind", race.kind},
                     {"code_owner", race.code_owner}});
  }
  Json sightings = Json::array();
  for (const Sighting& one : snapshot.sightings) {
    sightings.push_back({{"run", one.run},
                         {"race", one.race},
                         {"fingerprint", one.fingerprint},
                         {"certainty", one.certainty},
                         {"count", one.count},
                         {"title", one.title},
                         {"file", one.file},
                         {"line", one.line},
                         {"function", one.function},
                         {"places", one.places}});
  }
  Json changes = Json::array();
  for (const Change& change : snapshot.changes) {
    Json one{{"race", change.race}};
    one.update(change_json(change));
    changes.push_back(std::move(one));
  }
  return {{"omen_store", kExchangeVersion},
          {"runs", runs},
          {"races", races},
          {"sightings", sightings},
          {"changes", changes}};
}

Json overview_json(const std::vector<RaceOverview>& races) {
  Json all = Json::array();
  for (const RaceOverview& one : races) {
    Json changes = Json::array();
    for (const Change* change : one.changes) changes.push_back(change_json(*change));
    const Sighting& latest = *one.latest;
    all.push_back({{"fingerprint", one.fingerprint()},
                   {"aliases", one.race->aliases},
                   {"kind", one.race->kind},
                   {"status", name_of(one.status)},
                   {"owner", one.owner},
                   {"title", latest.title},
                   {"certainty", latest.certainty},
                   {"file", latest.file},
                   {"line", latest.line},
                   {"function", latest.function},
                   {"first_seen", time_text(one.first->time)},
                   {"last_seen", time_text(one.last->time)},
                   {"runs", one.runs()},
                   {"commits", one.commits},
                   {"changes", std::move(changes)}});
  }
  return all;
}

Json trend_json(const std::vector<TrendRow>& rows) {
  Json all = Json::array();
  for (const TrendRow& row : rows) {
    all.push_back({{"from", row.from},
                   {"runs", row.runs},
                   {"seen", row.seen},
                   {"new", row.fresh},
                   {"closed", row.closed},
                   {"reopened", row.reopened},
                   {"open", row.open}});
  }
  return all;
}

}  // namespace omen::store
