/// \file
/// Checks the rules of value traces: shapes and widths, one definition before every use, well-formedness of events that
/// other threads can observe, and that evaluating the expressions in the recorded order gives the recorded values. For
/// paths: shapes and widths, and definitions before uses.
///
/// This tests front ends: a wrong value trace is rejected here, before any prediction from it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

struct Problem {
  std::size_t event;    ///< index of the event; number of events + n for the n-th path; after all paths for a cell
  std::string message;  ///< what was expected, and what was found
};

std::expected<void, Problem> check(const ValueTrace& trace);

}  // namespace omen::values
