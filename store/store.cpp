#include "store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "store/migrations.hpp"
#include "store/statements.hpp"
#include "trace/quote.hpp"

namespace omen::store {
namespace {

using std::chrono::milliseconds;

/// The author of automatic reopenings.
constexpr std::string_view kOmen = "omen";

/// A shorter prefix of a fingerprint is not accepted.
constexpr std::size_t kShortestBeginning = 4;

/// Adds one run's findings, inside a transaction.
class Adder {
 public:
  Adder(Database& database, const Run& run, bool is_now, const std::optional<CodeOwners>& owners)
      : statements_(database), run_(run), is_now_(is_now), owners_(owners) {}

  Answer<AddedRun> add(const std::vector<Finding>& findings) {
    AddedRun added;
    const auto is_new = statements_.insert(run_);
    if (!is_new) return std::unexpected(is_new.error());
    if (!*is_new) return AddedRun{.was_there = true};
    // Known fingerprints first: they determine their races' current positions.
    std::vector<const Finding*> unknown;
    for (const Finding& finding : findings) {
      auto race = statements_.race_of(finding.fingerprint);
      if (!race) return std::unexpected(race.error());
      if (!*race) {
        unknown.push_back(&finding);
      } else if (auto ok = saw(**race, finding, added); !ok) {
        return std::unexpected(ok.error());
      }
    }
    for (const Finding* finding : unknown) {
      auto race = race_at(finding->places);
      if (!race) return std::unexpected(race.error());
      Answer<bool> ok = false;
      if (*race) {
        ok = statements_.insert_alias(finding->fingerprint, **race);
      } else {
        ok = statements_.insert(
            Race{.fingerprint = finding->fingerprint, .aliases = {}, .kind = finding->kind, .code_owner = {}});
        ++added.fresh;
      }
      if (!ok) return std::unexpected(ok.error());
      if (auto done = saw(race->value_or(finding->fingerprint), *finding, added); !done) {
        return std::unexpected(done.error());
      }
    }
    for (const auto& [race, sighting] : seen_) {
      if (auto ok = statements_.insert(sighting); !ok) return std::unexpected(ok.error());
    }
    added.races = seen_.size();
    return added;
  }

 private:
  /// The race whose latest sighting, in this run or before, is at these positions.
  Answer<std::optional<std::string>> race_at(const std::string& places) {
    if (places.empty()) return std::nullopt;
    for (const auto& [race, sighting] : seen_) {
      if (sighting.places == places) return race;
    }
    const auto candidates =
        statements_.query("SELECT DISTINCT race FROM omen_sightings WHERE places = $1 ORDER BY race", places);
    if (!candidates) return std::unexpected(candidates.error());
    for (const Row& row : *candidates) {
      if (seen_.contains(row[0])) continue;
      const auto latest = statements_.one(
          "SELECT s.places FROM omen_sightings s JOIN omen_runs r ON r.id = s.run WHERE s.race = $1 "
          "ORDER BY r.time DESC, r.id DESC LIMIT 1",
          row[0]);
      if (!latest) return std::unexpected(latest.error());
      if (*latest == places) return row[0];
    }
    return std::nullopt;
  }

  Answer<void> saw(const std::string& race, const Finding& finding, AddedRun& added) {
    const auto [entry, is_first] =
        seen_.try_emplace(race, Sighting{run_.id, race, finding.fingerprint, finding.certainty, finding.count,
                                         finding.title, finding.file, finding.line, finding.function, finding.places});
    if (!is_first) {  // reported under two fingerprints in one report
      entry->second.count += finding.count;
      return {};
    }
    if (owners_ && !finding.file.empty() && !finding.file.starts_with('/')) {
      auto ok = statements_.query("UPDATE omen_races SET code_owner = $1 WHERE fingerprint = $2 AND code_owner <> $1",
                                  owners_->owners_of(finding.file), race);
      if (!ok) return std::unexpected(ok.error());
    }
    return reopen(race, added);
  }

  Answer<void> reopen(const std::string& race, AddedRun& added) {
    const auto last = statements_.query(
        "SELECT value, time FROM omen_changes WHERE race = $1 AND what = 'status' ORDER BY time DESC LIMIT 1", race);
    if (!last) return std::unexpected(last.error());
    if (last->empty() || last->front()[0] != name_of(Status::Fixed)) return {};
    const Time fixed = parse_time(last->front()[1]).value_or(Time{});
    if (!is_now_ && run_.time <= fixed) return {};
    const Change change{race, std::max(run_.time, fixed + milliseconds(1)), std::string(kOmen), What::Status,
                        std::string(name_of(Status::Reopened))};
    if (auto ok = statements_.insert(change); !ok) return std::unexpected(ok.error());
    ++added.reopened;
    return {};
  }

  Statements statements_;
  const Run& run_;
  bool is_now_;
  const std::optional<CodeOwners>& owners_;
  std::map<std::string, Sighting> seen_;  ///< by race
};

/// Converts rows to records; stores the first invalid value.
class Reader {
 public:
  explicit Reader(Database& database) : statements_(database) {}

  Answer<Snapshot> load() {
    Snapshot all;
    std::set<std::string> runs;
    each("SELECT id, time, commit_id, branch, label, program, complete FROM omen_runs", [&](const Row& row) {
      runs.insert(row[0]);
      all.runs.push_back({row[0], time(row[1]), row[2], row[3], row[4], row[5], row[6] != "0"});
    });
    std::map<std::string, std::size_t> races;
    each("SELECT fingerprint, kind, code_owner FROM omen_races", [&](const Row& row) {
      races.emplace(row[0], all.races.size());
      all.races.push_back({row[0], {}, row[1], row[2]});
    });
    each("SELECT fingerprint, race FROM omen_aliases", [&](const Row& row) {
      if (const auto race = races.find(row[1]); race != races.end()) all.races[race->second].aliases.push_back(row[0]);
    });
    std::set<std::string> seen;
    each("SELECT run, race, fingerprint, certainty, pairs, title, file, line, function, places FROM omen_sightings",
         [&](const Row& row) {
           seen.insert(row[1]);
           if (!runs.contains(row[0])) wrong("a run of the store", row[0]);
           if (!races.contains(row[1])) wrong("a race of the store", row[1]);
           all.sightings.push_back({row[0], row[1], row[2], row[3], number<std::uint64_t>(row[4]), row[5], row[6],
                                    number<std::uint32_t>(row[7]), row[8], row[9]});
         });
    each("SELECT race, time, author, what, value FROM omen_changes", [&](const Row& row) {
      const auto what = parse_what(row[3]);
      if (!races.contains(row[0])) wrong("a race of the store", row[0]);
      if (!what || (what == What::Status && !parse_status(row[4]))) wrong("a change", row[3] + " " + row[4]);
      all.changes.push_back({row[0], time(row[1]), row[2], what.value_or(What::Note), row[4]});
    });
    if (!error_ && seen.size() != all.races.size()) wrong("a run for every race", std::to_string(seen.size()));
    if (error_) return std::unexpected(*error_);
    sort(all);
    return all;
  }

 private:
  template <class Function>
  void each(std::string_view sql, Function function) {
    if (error_) return;
    const auto rows = statements_.query(sql);
    if (!rows) {
      error_ = rows.error();
      return;
    }
    for (const Row& row : *rows) function(row);
  }

  Time time(const std::string& text) {
    const auto parsed = parse_time(text);
    if (!parsed) wrong("a time", text);
    return parsed.value_or(Time{});
  }

  template <class Number>
  Number number(const std::string& text) {
    Number value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) wrong("a number", text);
    return value;
  }

  void wrong(std::string_view expected, const std::string& text) {
    if (!error_)
      error_ =
          DatabaseError{.message = fmt::format("the store is damaged: expected {}, not {}", expected, quoted(text))};
  }

  Statements statements_;
  std::optional<DatabaseError> error_;
};

Answer<void> set_in(Database& database, const std::string& race, const Setting& setting) {
  Statements statements(database);
  // Writers are serialised, so a change is later than those it follows.
  const auto last = statements.one("SELECT COALESCE(MAX(time), '') FROM omen_changes WHERE race = $1", race);
  if (!last) return std::unexpected(last.error());
  Time time = now();
  if (const auto before = parse_time(last->value_or("")); before) time = std::max(time, *before + milliseconds(1));
  const auto add = [&](What what, std::string_view value) {
    return statements.insert(Change{race, time, storable(setting.author), what, storable(value)});
  };
  if (setting.status) {
    if (auto ok = add(What::Status, name_of(*setting.status)); !ok) return std::unexpected(ok.error());
  }
  if (setting.owner) {
    if (auto ok = add(What::Owner, *setting.owner); !ok) return std::unexpected(ok.error());
  }
  if (!setting.note.empty()) {
    if (auto ok = add(What::Note, setting.note); !ok) return std::unexpected(ok.error());
  }
  return {};
}

}  // namespace

std::expected<Store, InputError> Store::open(const std::string& where, Missing missing, milliseconds wait) {
  auto database = open_database(where, missing, wait);
  if (!database) return std::unexpected(database.error());
  if (auto ok = migrate(**database, missing); !ok) return std::unexpected(ok.error());
  return Store(std::move(*database));
}

std::expected<AddedRun, InputError> Store::add(Run run, std::optional<Time> time, const std::vector<Finding>& findings,
                                               const std::optional<CodeOwners>& owners) {
  for (std::string* text : {&run.commit, &run.branch, &run.label, &run.program}) *text = storable(*text);
  const auto added = database_->transaction(Access::Write, [&] {
    run.time = time.value_or(now());
    return Adder(*database_, run, !time, owners).add(findings);
  });
  if (!added) return std::unexpected(database_->error(added.error()));
  return *added;
}

std::expected<std::string, InputError> Store::find(std::string_view fingerprint) {
  const std::string text = storable(fingerprint);
  const auto wrong = [&](const std::string& message) { return std::unexpected(InputError{name(), "", message}); };
  std::set<std::string> found;
  const auto done = database_->transaction(Access::Read, [&]() -> Answer<void> {
    found.clear();
    Statements statements(*database_);
    const auto exact = statements.race_of(text);
    if (!exact) return std::unexpected(exact.error());
    if (*exact) {
      found.insert(**exact);
      return {};
    }
    const auto rows = statements.query(
        "SELECT fingerprint FROM omen_races WHERE SUBSTR(fingerprint, 1, LENGTH($1)) = $1 "
        "UNION SELECT race FROM omen_aliases WHERE SUBSTR(fingerprint, 1, LENGTH($1)) = $1",
        text);
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) found.insert(row[0]);
    return {};
  });
  if (!done) return std::unexpected(database_->error(done.error()));
  if (found.size() == 1 && (text.size() >= kShortestBeginning || *found.begin() == text)) return *found.begin();
  if (found.size() > 1) {
    return wrong(
        fmt::format("{} races have fingerprints that begin with {}; give more of it", found.size(), quoted(text)));
  }
  return wrong(fmt::format("there is no race with the fingerprint {}", quoted(text)));
}

std::expected<void, InputError> Store::set(const std::string& race, const Setting& setting) {
  const auto done = database_->transaction(Access::Write, [&] { return set_in(*database_, race, setting); });
  if (!done) return std::unexpected(database_->error(done.error()));
  return {};
}

std::expected<Snapshot, InputError> Store::load() {
  auto all = database_->transaction(Access::Read, [&] { return Reader(*database_).load(); });
  if (!all) return std::unexpected(database_->error(all.error()));
  return std::move(*all);
}

}  // namespace omen::store
