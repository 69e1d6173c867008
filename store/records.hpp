/// \file
/// What the store keeps: runs, races, who saw which race (sightings), and what people said of a race (changes). Runs,
/// sightings and changes are only ever added. Status, owner, first and last seen follow from them (overview.hpp), so
/// two stores become one by putting their records together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/times.hpp"

namespace omen::store {

enum class Status : std::uint8_t { New, Confirmed, Fixed, Wontfix, Reopened };
inline constexpr std::array<std::string_view, 5> kStatusNames{"new", "confirmed", "fixed", "wontfix", "reopened"};
inline constexpr std::array<Status, 5> kStatuses{Status::New, Status::Confirmed, Status::Fixed, Status::Wontfix,
                                                 Status::Reopened};

std::string_view name_of(Status status);
std::optional<Status> parse_status(std::string_view name);

/// Somebody has to do something about it.
constexpr bool is_open(Status status) {
  return status != Status::Fixed && status != Status::Wontfix;
}

enum class What : std::uint8_t { Status, Owner, Note };
inline constexpr std::array<std::string_view, 3> kWhatNames{"status", "owner", "note"};
std::string_view name_of(What what);
std::optional<What> parse_what(std::string_view name);

/// A report that was added.
struct Run {
  std::string id;  ///< made of the report's bytes, commit, branch and label: added twice, it is there once
  Time time;
  std::string commit;
  std::string branch;
  std::string label;
  std::string program;  ///< the command's first word
  bool complete = true;

  bool operator==(const Run&) const = default;
};

struct Race {
  std::string fingerprint;           ///< under which it was seen first
  std::vector<std::string> aliases;  ///< other fingerprints that it was reported with, sorted
  std::string kind;                  ///< as in the report; or "deadlock"
  std::string code_owner;            ///< the last that CODEOWNERS named; may be several, separated by blanks

  bool operator==(const Race&) const = default;
};

/// A run saw a race.
struct Sighting {
  std::string run;
  std::string race;         ///< its fingerprint
  std::string fingerprint;  ///< of the report: the race's, or an alias
  std::string certainty;    ///< "observed", "confirmed", "predicted"
  std::uint64_t count = 1;  ///< pairs of accesses
  std::string title;
  std::string file;  ///< of the later access; below the source root relative to it
  std::uint32_t line = 0;
  std::string function;
  std::string places;  ///< a hash of where the accesses are (findings.hpp)

  bool operator==(const Sighting&) const = default;
};

struct Change {
  std::string race;
  Time time;  ///< later than every earlier change of the race
  std::string author;
  What what = What::Note;
  std::string value;

  bool operator==(const Change&) const = default;
};

/// Everything, in an order that does not depend on the database: runs and changes by time, races by fingerprint,
/// sightings by race and then in the order of their runs.
struct Snapshot {
  std::vector<Run> runs;
  std::vector<Race> races;
  std::vector<Sighting> sightings;
  std::vector<Change> changes;

  bool operator==(const Snapshot&) const = default;
};

void sort(Snapshot& snapshot);

/// The text as both databases keep it: UTF-8 without NUL. What is none becomes U+FFFD.
std::string storable(std::string_view text);

}  // namespace omen::store
