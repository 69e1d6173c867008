/// \file
/// Which reads return something else in a witness than they did in the recorded run. Under DATA these are reads of
/// updates (docs/event-model.md, "Reorderings"), of which a recording has no values; where the run recorded values,
/// whoever found the race says it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/race_report.hpp"
#include "report/source_map.hpp"

namespace omen::report {

/// One read.
struct ReadChange {
  std::uint64_t event = 0;
  std::optional<std::uint64_t> recorded;
  std::optional<std::uint64_t> now;
};

/// The reads of updates that see another write than the recorded one, or one that wrote another value. `witness`: its
/// events without the racing pair, which may read anything.
std::vector<ReadChange> changed_updates(const Trace& trace, std::span<const std::uint32_t> witness);

/// The reads of one thread at one place are one entry, with the variable of the first.
std::vector<ChangedRead> describe_changes(const SourceMap& map, std::span<const ReadChange> changes);

/// "1 instead of 5", "another write's value".
std::string change_words(const ChangedRead& read);

}  // namespace omen::report
