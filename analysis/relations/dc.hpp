/// \file
/// Doesn't-commute. Vindicator, §4 and appendix A; SmartTrack, Algorithm 1.
///
/// Invariant: clock(t) covers exactly the events DC-before t's next event, and t's own. The level implements rules (a)
/// and (b): it stores the sections, and calls `order_after`. Rule (b) is judged by clock(t).
#pragma once

#include <string_view>

#include "analysis/relations/one_clock.hpp"
#include "analysis/relations/predictive.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class DcClocks : public OneClockWithSections {
 public:
  static constexpr std::string_view kName = "dc";
  static constexpr bool kOrdersReleases = true;

  explicit DcClocks(const Tuning& /*tuning*/) {}
};
using Dc = Predictive<DcClocks>;

}  // namespace omen
