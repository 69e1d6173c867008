/// \file
/// The definition that judges an analysis.
#pragma once

#include "analysis/registry.hpp"
#include "test/judges/relation_oracle.hpp"

namespace omen {

inline judges::Relation relation_of(const AnalysisInfo& info) {
  if (info.relation == "hb") return judges::Relation::Hb;
  if (info.relation == "wcp") return judges::Relation::Wcp;
  if (info.relation == "dc") return judges::Relation::Dc;
  return judges::Relation::Wdc;
}

}  // namespace omen
