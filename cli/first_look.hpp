/// \file
/// A first look at a recorded run, while its events go by: is there a race that has to be looked at closely? Most runs
/// have none, and need not be kept in memory.
///
/// It suffices to ask the weaker relation. Each one orders less than happens-before, so a run in which it finds no race
/// has none that happens-before shows; and up to its first race an analysis is exact. Where candidates are wanted that
/// every relation orders, a pair that nothing orders under LW or DATA is a reason to look closely, too.
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

  /// The next events. Says what is wrong with them, if they are no trace.
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
