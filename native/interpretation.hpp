/// \file
/// From a raw recording with values to a value trace: all of this folder.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "native/thread_run.hpp"
#include "native/value_builder.hpp"
#include "trace/error.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::native {

struct Interpretation {
  values::ValueTrace trace;           ///< it has passed `values::check`
  std::vector<std::uint32_t> origin;  ///< of each of its events: the recorded event that it is, or comes before
  Counters counters;
  Built built;
};

std::expected<Interpretation, InputError> interpret(const std::string& raw);

}  // namespace omen::native
