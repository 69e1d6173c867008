/// \file
/// Runs a program once and records its value trace.
#pragma once

#include "mini/run.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::mini {

struct Recording {
  values::ValueTrace trace;
  Run run;
};

Recording record(const Code& code, Scheduler& scheduler, std::uint64_t max_steps = kMaxSteps);

}  // namespace omen::mini
