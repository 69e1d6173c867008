/// \file
/// A streaming test of a recorded run: can it have a race that needs a closer look? Most runs have none, and need not
/// be kept in memory.
///
/// The weaker relation suffices: it orders less than happens-before, so a run in which it finds no race has none that
/// happens-before shows; and up to its first race an analysis is exact. If candidates that every relation orders are
/// wanted as well, an unordered pair under LW or DATA also calls for a closer look.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "analysis/registry.hpp"
#include "trace/well_formed.hpp"
#include "vindicate/unordered_pairs.hpp"

namespace omen::cli {

class FirstLook {
 public:
  FirstLook(const AnalysisInfo& analysis, bool beyond_relations, vindicate::Model model)
      : analysis_(analysis.make(sink_, {})), beyond_relations_(beyond_relations), pairs_(model) {}

  /// Processes the next events. On failure: why they are not a well-formed trace.
  std::expected<void, std::string> take(std::span<Event> events, const Names& names);

  bool found() const { return sink_.found; }

 private:
  struct Sink final : RaceSink {
    void race(const RacyAccess&, std::span<const PriorAccess>) override { found = true; }
    bool found = false;
  };

  WellFormedness rules_;
  Sink sink_;
  std::unique_ptr<AnyAnalysis> analysis_;
  bool beyond_relations_;
  vindicate::UnorderedPairs pairs_;
  vindicate::EventNo next_ = 0;
};

}  // namespace omen::cli
