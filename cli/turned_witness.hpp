/// \file
/// A witness with a turned branch, as an order that a run can follow: the turning thread is led to its last
/// synchronisation; from there it runs freely, while all other threads stand, until it reaches its racing access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relax/verdict.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::cli {

/// Has recorded events only. `before` ends with the turning thread's events up to its branch.
struct DepartingOrder {
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> after;
  std::string why_not;  ///< why there is no such order; otherwise empty

  std::vector<std::uint32_t> whole() const;
};

/// For a race with one access on the path. Each order is executed on the value trace before it is returned.
DepartingOrder departing_order(const values::ValueTrace& trace, const relax::Verdict& race);

}  // namespace omen::cli
