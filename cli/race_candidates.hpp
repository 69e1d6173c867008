/// \file
/// The findings of a recorded run: pairs that happens-before shows, predictions of a weaker relation with a witness,
/// pairs that every relation orders with a witness, and predicted deadlocks.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/registry.hpp"
#include "cli/deadlock_candidates.hpp"
#include "report/build_report.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

/// `omen run --candidates`.
enum class Candidates : std::uint8_t {
  Relation,  ///< predictions of the analysis
  Lw,        ///< also pairs that every relation orders, and that a reordering under LW may bring together
  Data,      ///< the same under DATA
  Value,     ///< also under value, if the program records values
  Control,   ///< also under control
  Relax,     ///< also under relax
  Paths,     ///< also under paths
};

struct CandidateSearch {
  const AnalysisInfo& analysis;                        ///< the analysis that predicts races
  bool confirm = true;                                 ///< false: predictions are reported without a witness
  std::uint64_t budget = vindicate::Budget::kDefault;  ///< as of `--budget`
  std::uint64_t pairs = 0;                             ///< most pairs of a group; 0: as many as the budget allows
  std::uint64_t jobs = 1;
  bool beyond_relations = false;  ///< also search candidates for `Candidates::Lw` or `Data`; only with `confirm`
  vindicate::Model model = vindicate::Model::Data;
  bool undecided = false;  ///< also return those that stay undecided
  bool races = true;
  bool deadlocks = true;
};

struct FoundInRun {
  std::vector<report::Candidate> races;  ///< including unconfirmed predictions, which are withheld
  FoundDeadlocks deadlocks;
};

/// Changes `trace` during the call, and restores it.
FoundInRun find_in_run(Trace& trace, const CaptureInfo& info, const CandidateSearch& search);

}  // namespace omen::cli
