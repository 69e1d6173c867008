/// \file
/// Weak-doesn't-commute: DC without rule (b). SmartTrack §3.
///
/// Invariant: clock(t) covers exactly the events WDC-before t's next event, and t's own. The level implements rule (a):
/// it knows which sections conflict, and calls `order_after`. The local time also advances at each acquire, which makes
/// the levels' same-epoch tests correct (SmartTrack §4.1), and makes an epoch determine the sections that its thread
/// was in.
#pragma once

#include <string_view>

#include "analysis/relations/one_clock.hpp"
#include "analysis/relations/predictive.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class WdcClocks : public OneClockWithSections {
 public:
  static constexpr std::string_view kName = "wdc";
  static constexpr bool kOrdersReleases = false;  ///< no rule (b)

  explicit WdcClocks(const Tuning& /*tuning*/) {}
};
using Wdc = Predictive<WdcClocks>;

}  // namespace omen
