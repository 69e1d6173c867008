/// \file
/// A witness on a path, as a run can be led by it: the thread that turns is led to its last synchronisation, and from
/// there goes by itself, while all others stand, until it comes to its racing access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relax/verdict.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::cli {

/// Recorded events only. `before` ends with what the turning thread does up to its branch.
struct DepartingOrder {
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> after;
  std::string why_not;  ///< why there is none; else empty

  std::vector<std::uint32_t> whole() const;
};

/// Of a race with one access on its path. Each order is executed on the value trace before it is given.
DepartingOrder departing_order(const values::ValueTrace& trace, const relax::Verdict& race);

}  // namespace omen::cli
