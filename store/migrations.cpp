#include "store/migrations.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "store/times.hpp"
#include "trace/quote.hpp"

namespace omen::store {
namespace {

constexpr std::string_view kVersions = "omen_schema";

constexpr std::array<std::string_view, 8> kFirst{
    R"(CREATE TABLE omen_runs (
         id {text} PRIMARY KEY, time {text} NOT NULL, commit_id {text} NOT NULL, branch {text} NOT NULL,
         label {text} NOT NULL, program {text} NOT NULL, complete BIGINT NOT NULL))",
    R"(CREATE TABLE omen_races (
         fingerprint {text} PRIMARY KEY, kind {text} NOT NULL, code_owner {text} NOT NULL))",
    R"(CREATE TABLE omen_aliases (
         fingerprint {text} PRIMARY KEY, race {text} NOT NULL REFERENCES omen_races (fingerprint)))",
    R"(CREATE TABLE omen_sightings (
         run {text} NOT NULL REFERENCES omen_runs (id), race {text} NOT NULL REFERENCES omen_races (fingerprint),
         fingerprint {text} NOT NULL, certainty {text} NOT NULL, pairs BIGINT NOT NULL, title {text} NOT NULL,
         file {text} NOT NULL, line BIGINT NOT NULL, function {text} NOT NULL, places {text} NOT NULL,
         PRIMARY KEY (run, race)))",
    "CREATE INDEX omen_sightings_race ON omen_sightings (race)",
    "CREATE INDEX omen_sightings_places ON omen_sightings (places)",
    R"(CREATE TABLE omen_changes (
         race {text} NOT NULL REFERENCES omen_races (fingerprint), time {text} NOT NULL, author {text} NOT NULL,
         what {text} NOT NULL, value {text} NOT NULL, PRIMARY KEY (race, time, what, value)))",
    "CREATE INDEX omen_aliases_race ON omen_aliases (race)",
};
constexpr std::array kAll{Migration{1, kFirst}};

std::string with_types(std::string_view statement, const Database& database) {
  constexpr std::string_view kText = "{text}";
  std::string out;
  for (std::size_t at = 0; (at = statement.find(kText)) != std::string_view::npos;) {
    out.append(statement.substr(0, at)).append(database.text_type());
    statement.remove_prefix(at + kText.size());
  }
  return out.append(statement);
}

/// Nothing if there are no tables.
Answer<std::optional<int>> version_of(Database& database) {
  const auto there = database.has_table(kVersions);
  if (!there) return std::unexpected(there.error());
  if (!*there) return std::nullopt;
  const auto rows = database.query(fmt::format("SELECT COALESCE(MAX(version), 0) FROM {}", kVersions));
  if (!rows) return std::unexpected(rows.error());
  const std::string& text = rows->at(0).at(0);
  int version = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (wrong != std::errc{} || end != text.data() + text.size() || version < 1) {
    return std::unexpected(
        DatabaseError{.message = fmt::format("the store is damaged: expected a version from 1 on in {}, not {}",
                                             kVersions, quoted(text))});
  }
  return version;
}

DatabaseError refused(std::string message) {
  return {DatabaseError::Kind::Other, std::move(message)};
}

Answer<void> apply(Database& database, std::span<const Migration> migrations, int from) {
  if (from == 0) {
    const std::string made =
        fmt::format("CREATE TABLE {} (version BIGINT PRIMARY KEY, applied {{text}} NOT NULL)", kVersions);
    if (auto ok = database.query(with_types(made, database)); !ok) return std::unexpected(ok.error());
  }
  for (const Migration& migration : migrations) {
    if (migration.version <= from) continue;
    for (const std::string_view statement : migration.statements) {
      if (auto ok = database.query(with_types(statement, database)); !ok) return std::unexpected(ok.error());
    }
    const std::array values{std::to_string(migration.version), time_text(now())};
    auto ok = database.query(fmt::format("INSERT INTO {} (version, applied) VALUES ($1, $2)", kVersions), values);
    if (!ok) return std::unexpected(ok.error());
  }
  return {};
}

/// True: the tables are up to date. An error if they can never be.
Answer<bool> is_current(Database& database, Missing missing, int last) {
  const auto version = version_of(database);
  if (!version) return std::unexpected(version.error());
  if (*version) {
    if (**version <= last) return **version == last;
    return std::unexpected(refused(
        fmt::format("the store has version {}: expected at most {}, as this omen has it; a newer omen made the store",
                    **version, last)));
  }
  const auto foreign = database.is_foreign();
  if (!foreign) return std::unexpected(foreign.error());
  if (*foreign) return std::unexpected(refused("expected a store of omen; these are another program's tables"));
  if (missing == Missing::Refuse) return std::unexpected(refused("there is no store yet; `omen store add` makes one"));
  return false;
}

}  // namespace

std::span<const Migration> all_migrations() {
  return kAll;
}

std::expected<void, InputError> migrate(Database& database, Missing missing, std::span<const Migration> migrations) {
  OMEN_CHECK(!migrations.empty());
  const int last = migrations.back().version;
  const auto current = database.transaction(Access::Read, [&] { return is_current(database, missing, last); });
  if (!current) return std::unexpected(database.error(current.error()));
  if (*current) return {};
  // Another process may have migrated them first.
  const auto done = database.transaction(Access::Write, [&]() -> Answer<void> {
    const auto now_current = is_current(database, missing, last);
    if (!now_current) return std::unexpected(now_current.error());
    if (*now_current) return {};
    const auto version = version_of(database);
    if (!version) return std::unexpected(version.error());
    return apply(database, migrations, version->value_or(0));
  });
  if (!done) return std::unexpected(database.error(done.error()));
  return {};
}

}  // namespace omen::store
