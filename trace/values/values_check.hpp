/// \file
/// Checks the rules of value traces: shapes and widths, one definition before every use, well-formedness of the events
/// that other threads can see, and that the expressions evaluate to the recorded values in the recorded order.
///
/// It is the test of front ends: a wrong value trace is rejected here, before anything is predicted from it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

struct Problem {
  std::size_t event;    ///< its index; the number of events if a cell is wrong
  std::string message;  ///< the expectation, and what was found
};

std::expected<void, Problem> check(const ValueTrace& trace);

}  // namespace omen::values
