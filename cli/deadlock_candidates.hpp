/// \file
/// Predicted deadlocks of a recorded run, for its report.
#pragma once

#include <string>
#include <vector>

#include "report/build_deadlocks.hpp"
#include "vindicate/deadlocks.hpp"

namespace omen::cli {

struct FoundDeadlocks {
  std::vector<report::DeadlockCandidate> deadlocks;
  std::vector<std::string> notes;  ///< cycles that were not decided
};

FoundDeadlocks find_deadlocks(const vindicate::Confirmer& confirmer);

}  // namespace omen::cli
