/// \file
/// Statements that adding and importing share.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "store/database.hpp"
#include "store/records.hpp"

namespace omen::store {

class Statements {
 public:
  explicit Statements(Database& database) : database_(database) {}

  /// The first column of the first row.
  template <class... Values>
  Answer<std::optional<std::string>> one(std::string_view sql, const Values&... values) {
    auto rows = query(sql, values...);
    if (!rows) return std::unexpected(std::move(rows.error()));
    if (rows->empty()) return std::nullopt;
    return std::move(rows->front().front());
  }

  template <class... Values>
  Answer<Rows> query(std::string_view sql, const Values&... values) {
    if constexpr (sizeof...(Values) == 0) {
      return database_.query(sql);
    } else {
      const std::array texts{std::string(values)...};
      return database_.query(sql, texts);
    }
  }

  // These return whether the record is new.
  Answer<bool> insert(const Run& run) {
    return inserted(
        "INSERT INTO omen_runs (id, time, commit_id, branch, label, program, complete) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id",
        run.id, time_text(run.time), run.commit, run.branch, run.label, run.program, run.complete ? "1" : "0");
  }
  Answer<bool> insert(const Race& race) {
    return inserted(
        "INSERT INTO omen_races (fingerprint, kind, code_owner) VALUES ($1, $2, $3) "
        "ON CONFLICT DO NOTHING RETURNING fingerprint",
        race.fingerprint, race.kind, race.code_owner);
  }
  Answer<bool> insert_alias(const std::string& fingerprint, const std::string& race) {
    return inserted(
        "INSERT INTO omen_aliases (fingerprint, race) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING fingerprint",
        fingerprint, race);
  }
  Answer<bool> insert(const Sighting& one) {
    return inserted(
        "INSERT INTO omen_sightings (run, race, fingerprint, certainty, pairs, title, file, line, function, places) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING run",
        one.run, one.race, one.fingerprint, one.certainty, std::to_string(one.count), one.title, one.file,
        std::to_string(one.line), one.function, one.places);
  }
  Answer<bool> insert(const Change& change) {
    return inserted(
        "INSERT INTO omen_changes (race, time, author, what, value) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT DO NOTHING RETURNING race",
        change.race, time_text(change.time), change.author, std::string(name_of(change.what)), change.value);
  }

  /// The race with this fingerprint or alias.
  Answer<std::optional<std::string>> race_of(const std::string& fingerprint) {
    return one(
        "SELECT fingerprint FROM omen_races WHERE fingerprint = $1 "
        "UNION ALL SELECT race FROM omen_aliases WHERE fingerprint = $1",
        fingerprint);
  }

 private:
  template <class... Values>
  Answer<bool> inserted(std::string_view sql, const Values&... values) {
    return any(query(sql, values...));
  }

  Database& database_;
};

}  // namespace omen::store
