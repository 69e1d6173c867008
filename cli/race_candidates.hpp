/// \file
/// Which pairs of a recorded run are to be reported: what happens-before shows, and what a weaker relation predicts and
/// a witness confirms.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/registry.hpp"
#include "report/build_report.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

struct CandidateSearch {
  const AnalysisInfo& analysis;                        ///< that predicts
  bool confirm = true;                                 ///< false: what it predicts is reported as it is
  std::uint64_t budget = vindicate::Budget::kDefault;  ///< as of `--budget`
  std::uint64_t pairs = 0;                             ///< of one group, at most; 0: while they are cheap
  std::uint64_t jobs = 1;
};

/// `trace` is changed while this runs, and as it was afterwards. What is predicted and not confirmed is among them,
/// withheld.
std::vector<report::Candidate> find_candidates(Trace& trace, const CaptureInfo& info, const CandidateSearch& search);

}  // namespace omen::cli
