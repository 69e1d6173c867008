/// \file
/// The history of a project's races in a database. Every change is one transaction, and writers are serialised.
///
/// A race is identified by its fingerprint. A fingerprint that the store does not know may still belong to a known
/// race, built by another compiler or seen in another schedule: one whose latest sighting is at the same positions
/// (`Sighting::places`). From then on the fingerprint is an alias of that race.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/codeowners.hpp"
#include "store/database.hpp"
#include "store/findings.hpp"
#include "store/records.hpp"

namespace omen::store {

struct AddedRun {
  bool was_there = false;  ///< the run was already stored; nothing was added
  std::size_t races = 0;
  std::size_t fresh = 0;     ///< number of races never seen before
  std::size_t reopened = 0;  ///< number of races that had been set to fixed
};

/// The changes that `set` makes.
struct Setting {
  std::optional<Status> status;
  std::optional<std::string> owner;
  std::string note;  ///< empty: none
  std::string author;
};

struct Imported {
  std::size_t runs = 0;
  std::size_t races = 0;
  std::size_t sightings = 0;
  std::size_t changes = 0;
};

class Store {
 public:
  /// Migrates tables of an older version to this omen's.
  static std::expected<Store, InputError> open(const std::string& where, Missing missing,
                                               std::chrono::milliseconds wait);

  /// Without `time` the current time counts. A run that is older than the change to fixed does not reopen a race.
  std::expected<AddedRun, InputError> add(Run run, std::optional<Time> time, const std::vector<Finding>& findings,
                                          const std::optional<CodeOwners>& owners);

  /// The full fingerprint of the race that has this fingerprint or alias, or is the only one with such a prefix.
  std::expected<std::string, InputError> find(std::string_view fingerprint);

  std::expected<void, InputError> set(const std::string& race, const Setting& setting);

  std::expected<Snapshot, InputError> load();

  /// Adds the records that are missing. The snapshot must be consistent in itself.
  std::expected<Imported, InputError> import(const Snapshot& snapshot);

  const std::string& name() const { return database_->name(); }

 private:
  explicit Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  std::unique_ptr<Database> database_;
};

}  // namespace omen::store
