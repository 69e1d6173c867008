/// \file
/// Which pairs of a recorded run are to be reported: what happens-before shows, and what a weaker relation predicts and
/// a witness confirms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/registry.hpp"
#include "report/build_report.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

struct CandidateSearch {
  const AnalysisInfo& analysis;  ///< that predicts
  bool confirm = true;           ///< false: what it predicts is reported as it is
  vindicate::Budget budget;
  std::uint64_t jobs = 1;
};

struct FoundCandidates {
  std::vector<report::Candidate> candidates;
  std::vector<std::string> notes;  ///< what could not be decided
};

/// `trace` is changed while this runs, and as it was afterwards.
FoundCandidates find_candidates(Trace& trace, const CaptureInfo& info, const CandidateSearch& search);

}  // namespace omen::cli
