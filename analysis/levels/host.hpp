/// \file
/// The environment of a level: what a variable is, where its last accesses are stored, and where races are reported.
/// The algorithms are written once, parameterised by a *host*. This host is for traces: variables are dense numbers,
/// and one thread drives the analysis. The online detector uses the same relation types; capture/runtime/detector takes
/// the part of the levels.
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
  /// True if an epoch may be older than the section table's entries.
  static constexpr bool kForgetsSections = false;
  /// True if a read that knows all reads of a vector may replace them. Not where other threads add reads concurrently.
  static constexpr bool kReadsUnshare = true;
};

}  // namespace omen
