/// \file
/// The reads that return another value in a witness than in the recorded run. Under DATA these are reads of updates
/// (docs/event-model.md, "Reorderings"), whose values a recording does not have. Under models that use recorded values,
/// the search that found the race provides them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/race_report.hpp"
#include "report/source_map.hpp"

namespace omen::report {

/// A read that returns another value.
struct ReadChange {
  std::uint64_t event = 0;
  std::optional<std::uint64_t> recorded;
  std::optional<std::uint64_t> now;
};

/// The reads of updates whose writer differs from the recorded one, or wrote another value. `witness` excludes the
/// racing pair, which may read anything.
std::vector<ReadChange> changed_updates(const Trace& trace, std::span<const std::uint32_t> witness);

/// Merges the reads of one thread at one location into one entry, with the variable of the first.
std::vector<ChangedRead> describe_changes(const SourceMap& map, std::span<const ReadChange> changes);

/// "1 instead of 5"; "what another write left" if the values are unknown.
std::string change_words(const ChangedRead& read);

}  // namespace omen::report
