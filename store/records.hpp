/// \file
/// The records of the store: runs, races, which run saw which race (sightings), and what people decided about a race
/// (changes). Runs, sightings and changes are only ever added. Status, owner, first and last seen follow from them
/// (overview.hpp), so two stores are merged by uniting their records.
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

std::string_view name_of(Status status);
std::optional<Status> parse_status(std::string_view name);

/// True if the race still requires action.
constexpr bool is_open(Status status) {
  return status != Status::Fixed && status != Status::Wontfix;
}

enum class What : std::uint8_t { Status, Owner, Note };
inline constexpr std::array<std::string_view, 3> kWhatNames{"status", "owner", "note"};
std::string_view name_of(What what);
std::optional<What> parse_what(std::string_view name);

/// A report that was added.
struct Run {
  std::string
      id;  ///< a hash of the report's bytes, commit, branch and label, so that adding a report twice has no effect
  Time time;
  std::string commit;
  std::string branch;
  std::string label;
  std::string program;  ///< the command's first word
  bool complete = true;

  bool operator==(const Run&) const = default;
};

struct Race {
  std::string fingerprint;           ///< of its first sighting
  std::vector<std::string> aliases;  ///< other fingerprints under which it was reported, sorted
  std::string kind;                  ///< the report's; or "deadlock"
  std::string code_owner;            ///< the latest owners from CODEOWNERS; may be several, separated by blanks

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
  std::string file;  ///< of the later access; relative if below the source root
  std::uint32_t line = 0;
  std::string function;
  std::string places;  ///< a hash of the accesses' positions (findings.hpp)

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

/// All records, in an order that does not depend on the database: runs and changes by time, races by fingerprint,
/// sightings by race and then in the order of their runs.
struct Snapshot {
  std::vector<Run> runs;
  std::vector<Race> races;
  std::vector<Sighting> sightings;
  std::vector<Change> changes;

  bool operator==(const Snapshot&) const = default;
};

void sort(Snapshot& snapshot);

/// The text in the form that both databases store: UTF-8 without NUL. Invalid bytes become U+FFFD.
std::string storable(std::string_view text);

}  // namespace omen::store
