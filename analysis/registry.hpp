/// \file
/// The twelve analyses by name. `AnyAnalysis` hides the relation and level. Its virtual call processes a block of
/// events, so that the inner loop has no indirect call.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/race.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"
#include "trace/event.hpp"

namespace omen {

class AnyAnalysis {
 public:
  virtual ~AnyAnalysis() = default;
  /// The next events of a well-formed trace.
  virtual void run(std::span<const Event> events) = 0;
  virtual const RuleCounters& counters() const = 0;
};

struct AnalysisInfo {
  std::string_view name;      ///< "st-wdc"
  std::string_view relation;  ///< "wdc"
  std::string_view level;     ///< "st"
  std::unique_ptr<AnyAnalysis> (*make)(RaceSink&, const Tuning&);
};

/// Ordered by strength, then by level: `unopt-hb` first, `st-wdc` last.
std::span<const AnalysisInfo> all_analyses();

/// Null for an unknown name.
const AnalysisInfo* find_analysis(std::string_view name);

}  // namespace omen
