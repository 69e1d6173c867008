/// \file
/// What of a recorded run is to be reported: pairs that happens-before shows, what a weaker relation predicts and a
/// witness confirms, what every relation orders and a witness shows all the same, and predicted deadlocks.
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
  Relation,  ///< what the analysis predicts
  Lw,        ///< also pairs that every relation orders, and some reordering under LW may bring together
  Data,      ///< the same under DATA
  Value,     ///< also under value, if the program records values
  Control,   ///< also under control
  Relax,     ///< also under relax
  Paths,     ///< also under paths
};

struct CandidateSearch {
  const AnalysisInfo& analysis;                        ///< that predicts
  bool confirm = true;                                 ///< false: what it predicts is reported as it is
  std::uint64_t budget = vindicate::Budget::kDefault;  ///< as of `--budget`
  std::uint64_t pairs = 0;                             ///< of one group, at most; 0: while they are cheap
  std::uint64_t jobs = 1;
  bool beyond_relations = false;  ///< look for `Candidates::Lw`, or `Data`; with `confirm` alone
  vindicate::Model model = vindicate::Model::Data;
  bool undecided = false;  ///< and give those of them that are not decided, too
  bool races = true;
  bool deadlocks = true;
};

struct FoundInRun {
  std::vector<report::Candidate> races;  ///< what is predicted and not confirmed is among them, withheld
  FoundDeadlocks deadlocks;
};

/// `trace` is changed while this runs, and as it was afterwards.
FoundInRun find_in_run(Trace& trace, const CaptureInfo& info, const CandidateSearch& search);

}  // namespace omen::cli
