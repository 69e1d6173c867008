/// \file
/// The rules of value traces, checked: shapes and widths, one definition before every use, well-formedness of what
/// other threads can see, and that the recorded values are what the expressions give in the recorded order. Of paths:
/// shapes and widths, and that values are defined before they are used.
///
/// It is the test of front ends: a wrong value trace is rejected here, before anything is predicted from it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

struct Problem {
  std::size_t event;    ///< its index; from the number of events on, a path's; behind all paths if a cell is wrong
  std::string message;  ///< what was expected, and what was found
};

std::expected<void, Problem> check(const ValueTrace& trace);

}  // namespace omen::values
