/// \file
/// What a level needs of its surroundings: what a variable is, where its last accesses are kept, to whom races go. The
/// algorithms are written once; a *host* says the rest. This one is for traces: variables are dense numbers, and one
/// thread drives the analysis. Inside a running program the relations are the same
/// types; the part of the levels is capture/runtime/detector.
#pragma once

#include "analysis/levels/access_history.hpp"
#include "analysis/levels/ancillary.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_tracking.hpp"

namespace omen {

struct TraceHost : TraceReports {
  using History = AccessHistory;
  using Ancillary = omen::Ancillary;
  template <class Relation>
  using Sections = SectionTracking<Relation>;
  /// Whether an epoch may be older than what the section table has kept.
  static constexpr bool kForgetsSections = false;
  /// Whether a read that knows all reads of a vector may take their place. Not where others add to it meanwhile.
  static constexpr bool kReadsUnshare = true;
};

}  // namespace omen
