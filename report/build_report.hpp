/// \file
/// From a trace, what its recorder knew, and candidate pairs with their verdicts, to a report in source terms.
///
/// Duplicates are one race with a count: the same two source positions in the same functions, whichever came first. The
/// pair that is shown is one that happens-before shows and that is confirmed, where there is one.
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

/// A branch that goes the other way in a witness, and leads to one of the two accesses.
struct TurnedCandidate {
  std::uint32_t thread = 0;
  std::string place;           ///< of the branch: a location of the trace, as text
  bool taken = false;          ///< whether its condition held in the run
  std::size_t departs_at = 0;  ///< how many events of the witness come before the thread is beyond the recording
  std::string no_replay;       ///< why no run can be led there; else empty
};

/// A pair of accesses that is worth reporting.
struct Candidate {
  std::array<std::uint64_t, 2> pair{};  ///< events that conflict, in any order
  std::string found_by = "wdc";         ///< the relation
  bool observed = false;                ///< happens-before leaves the pair unordered in this run
  bool confirmed = false;
  std::string method;
  std::string model;
  /// The events of the witness, the pair last. Called for one candidate of each race, if it is confirmed, or rests on
  /// recorded values (`rests_on_values`): then the program has yet to come to it.
  std::function<std::vector<std::uint32_t>()> witness;
  /// Only of a witness that rests on recorded values: what its reads return.
  std::function<std::vector<ReadChange>()> changed;
  /// The later event of the pair is then none of the run: it stands behind the run's own in the trace.
  std::optional<TurnedCandidate> turned;
  bool withheld = false;                ///< predicted, and not confirmed though that was tried: no race to report
  bool excluded = false;                ///< of a withheld one: all its pairs are known to be no race
  std::uint64_t decided = 0;            ///< of a withheld one: how many of its pairs are
  std::string why;                      ///< of a withheld one
  std::uint64_t count = 1;              ///< of pairs that it stands for
  bool vptr = false;                    ///< one of the accesses writes an object's table pointer
  std::array<bool, 2> atomic{};         ///< as `pair`: the access was atomic in the program
  std::array<std::uint64_t, 2> size{};  ///< as `pair`: bytes, where the variable's name does not tell; 0: it does
};

/// What neither the trace nor its recorder knows.
struct RunFacts {
  ExitStatus exit;
  bool complete = true;
  std::vector<std::string> notes;
  std::vector<ThreadStack> stacks;
  std::vector<DeadlockCandidate> deadlocks;  ///< predicted, with their witnesses
  std::size_t schedule_lines = 20;
  std::uint64_t longest_recorded = 20'000'000;  ///< events that a race without a witness is led by
  std::size_t longest_witness = 100'000;        ///< longer ones are not kept, only their length
};

/// The trace is well formed, and the candidates' events are accesses in it.
RunReport build_report(const Trace& trace, const CaptureInfo& info, std::span<const Candidate> candidates,
                       symbolize::Symbolizer& symbolizer, const RunFacts& facts);

}  // namespace omen::report
