/// \file
/// Imports another store's records. A race that both stores know by one of its fingerprints stays one race, under the
/// fingerprint that it has here.
#include <map>

#include "store/statements.hpp"
#include "store/store.hpp"

namespace omen::store {
namespace {

class Importer {
 public:
  explicit Importer(Database& database) : statements_(database) {}

  Answer<Imported> import(const Snapshot& snapshot) {
    for (const Run& run : snapshot.runs) {
      if (auto ok = count(statements_.insert(run), imported_.runs); !ok) return std::unexpected(ok.error());
    }
    for (const Race& race : snapshot.races) {
      if (auto ok = add(race); !ok) return std::unexpected(ok.error());
    }
    for (Sighting sighting : snapshot.sightings) {
      sighting.race = here_.at(sighting.race);
      if (auto ok = count(statements_.insert(sighting), imported_.sightings); !ok) return std::unexpected(ok.error());
    }
    for (Change change : snapshot.changes) {
      change.race = here_.at(change.race);
      if (auto ok = count(statements_.insert(change), imported_.changes); !ok) return std::unexpected(ok.error());
    }
    return imported_;
  }

 private:
  static Answer<void> count(const Answer<bool>& inserted, std::size_t& number) {
    if (!inserted) return std::unexpected(inserted.error());
    if (*inserted) ++number;
    return {};
  }

  Answer<void> add(const Race& race) {
    auto known = statements_.race_of(race.fingerprint);
    for (std::size_t i = 0; known && !*known && i < race.aliases.size(); ++i)
      known = statements_.race_of(race.aliases[i]);
    if (!known) return std::unexpected(known.error());
    if (!*known) {
      if (auto ok = count(statements_.insert(race), imported_.races); !ok) return ok;
    } else if (!race.code_owner.empty()) {
      auto ok = statements_.query("UPDATE omen_races SET code_owner = $1 WHERE fingerprint = $2 AND code_owner = ''",
                                  race.code_owner, **known);
      if (!ok) return std::unexpected(ok.error());
    }
    const std::string& key = here_.emplace(race.fingerprint, known->value_or(race.fingerprint)).first->second;
    if (auto ok = add_alias(race.fingerprint, key); !ok) return ok;
    for (const std::string& alias : race.aliases) {
      if (auto ok = add_alias(alias, key); !ok) return ok;
    }
    return {};
  }

  /// Does nothing if the fingerprint is a race, or another race's alias, here.
  Answer<void> add_alias(const std::string& fingerprint, const std::string& race) {
    const auto known = statements_.race_of(fingerprint);
    if (!known) return std::unexpected(known.error());
    if (*known) return {};
    return done(statements_.insert_alias(fingerprint, race));
  }

  Statements statements_;
  Imported imported_;
  std::map<std::string, std::string> here_;  ///< from fingerprints of the snapshot's races to those here
};

}  // namespace

std::expected<Imported, InputError> Store::import(const Snapshot& snapshot) {
  const auto done = database_->transaction(Access::Write, [&] { return Importer(*database_).import(snapshot); });
  if (!done) return std::unexpected(database_->error(done.error()));
  return *done;
}

}  // namespace omen::store
