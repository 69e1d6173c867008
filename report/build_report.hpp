/// \file
/// Converts a trace, its recorder's data, and candidate pairs with their verdicts to a report in source terms.
///
/// Candidates are duplicates if their accesses are at the same two source positions in the same functions, in either
/// order; a report has one race for them, with a count. The race shows the candidate that is most certain: confirmed
/// before observed before predicted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/build_deadlocks.hpp"
#include "report/changed_reads.hpp"
#include "report/describe.hpp"
#include "report/race_report.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"

namespace omen::report {

/// A branch that a witness turns; its new direction leads to one of the two accesses.
struct TurnedCandidate {
  std::uint32_t thread = 0;
  std::string place;           ///< the branch's location in the trace, as text
  bool taken = false;          ///< its condition held in the recorded run
  std::size_t departs_at = 0;  ///< number of witness events before the thread leaves the recorded path
  std::string no_replay;       ///< why no run can be led along this path; empty: one can
};

/// A pair of accesses to report.
struct Candidate {
  std::array<std::uint64_t, 2> pair{};  ///< events that conflict, in any order
  std::string found_by = "wdc";         ///< the relation
  bool observed = false;                ///< happens-before leaves the pair unordered in this run
  bool confirmed = false;
  std::string method;
  std::string model;
  /// Computes the witness: events, the pair last. Called for at most one candidate of each race: if it is confirmed, or
  /// rests on recorded values (`rests_on_values`), where only a run of the program confirms it.
  std::function<std::vector<std::uint32_t>()> witness;
  /// Only if the witness rests on recorded values: the values that its reads return.
  std::function<std::vector<ReadChange>()> changed;
  /// If set, the later event of the pair is not part of the run: the trace has it after the run's own events.
  std::optional<TurnedCandidate> turned;
  bool withheld = false;         ///< predicted, and not confirmed although that was tried: not reported as a race
  bool excluded = false;         ///< of a withheld one: all its pairs are excluded
  std::uint64_t decided = 0;     ///< of a withheld one: how many of its pairs are excluded
  std::string why;               ///< of a withheld one
  std::uint64_t count = 1;       ///< number of pairs that this candidate represents
  bool vptr = false;             ///< one of the accesses writes an object's vtable pointer
  std::array<bool, 2> atomic{};  ///< indexed as `pair`: the program's access was atomic
  std::array<std::uint64_t, 2> size{};  ///< indexed as `pair`: bytes, if the variable's name lacks them; 0: it has them
};

/// Facts about the run that neither the trace nor its recorder's data contains.
struct RunFacts {
  ExitStatus exit;
  bool complete = true;
  std::vector<std::string> notes;
  std::vector<ThreadStack> stacks;
  std::vector<DeadlockCandidate> deadlocks;  ///< predicted, with their witnesses
  std::size_t schedule_lines = 20;
  std::uint64_t longest_recorded =
      20'000'000;  ///< longest recorded prefix, in events, that a replay without a witness follows
  std::size_t longest_witness =
      100'000;  ///< of a witness that the report contains; of a longer one it has only the length
};

/// The trace must be well formed, and the candidates' events must be accesses in it.
RunReport build_report(const Trace& trace, const CaptureInfo& info, std::span<const Candidate> candidates,
                       symbolize::Symbolizer& symbolizer, const RunFacts& facts);

}  // namespace omen::report
