/// \file
/// Facts derived from the records of a race: status, owner, when it was seen. Every writer shows these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/records.hpp"

namespace omen::store {

struct RaceOverview {
  const Race* race = nullptr;
  Status status = Status::New;         ///< of the last change; `New` if there is none
  std::string owner;                   ///< of the last change; else from CODEOWNERS
  const Run* first = nullptr;          ///< the first that saw it
  const Run* last = nullptr;           ///< the last that saw it
  const Sighting* latest = nullptr;    ///< of the last run
  std::vector<std::string> commits;    ///< in which it was seen, in the order of their runs
  std::vector<const Sighting*> seen;   ///< in the order of their runs
  std::vector<const Change*> changes;  ///< in the order of time

  std::size_t runs() const { return seen.size(); }
  const std::string& fingerprint() const { return race->fingerprint; }
};

/// In the order of the snapshot's races, which are sorted and each have a sighting. Refers to the snapshot.
std::vector<RaceOverview> overview(const Snapshot& snapshot);

/// The most important first: open ones, then by their last run.
void sort_by_importance(std::vector<RaceOverview>& races);

/// `src/net` for `src/net/pool.cpp`; `.` without a folder, `?` without a file.
std::string folder_of(std::string_view file);

/// `src/net/pool.cpp:12`, `libfoo.so`, `?`.
std::string place_of(const Sighting& sighting);

}  // namespace omen::store
