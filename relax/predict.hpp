/// \file
/// Prediction: for every candidate of a trace an answer in one model.
///
/// Candidates are decided in parallel, a Z3 context for each, in the cone of the whole trace; a trace that is too long
/// for that is cut into windows that overlap by half. For `paths`, each turned branch's paths are then tried in
/// batches, window by window. Every race passes its judge before it is reported (judge.hpp); one that does not ends the
/// process with code 70. Answers do not depend on the number of jobs, nor on time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "relax/model.hpp"
#include "relax/query.hpp"
#include "relax/subject.hpp"
#include "relax/verdict.hpp"

namespace omen::relax {

struct Settings {
  Model model = Model::Relax;
  QueryLimits limits;
  bool every = false;               ///< every pair of events is a candidate, not every pair of locations
  std::uint32_t whole = 1'000'000;  ///< a longer trace is cut into windows
  std::uint32_t window = 2000;      ///< events
  std::uint32_t pairs = 64;         ///< asked per candidate and window
  std::uint32_t paths = 512;        ///< tried per window
  /// Pairs of events that are not to be asked: what it says of one pair holds for all of their locations.
  std::function<bool(std::uint32_t first, std::uint32_t second)> leave_out;
  bool recorded_ways = true;  ///< false: only what a turned branch makes possible, of `paths`
  std::size_t jobs = 1;
  SolverContext* context = nullptr;  ///< for all queries, one after the other, instead of one for each candidate
  QuerySink dump;                    ///< gets each query, under a name that no other has; from several threads at once
  std::function<void(double)> progress;  ///< from 0 to 1, now and then

  static Settings of_budget(std::uint64_t budget);
};

/// In the order of the candidates' locations.
std::vector<Verdict> predict(const Subject& subject, const Settings& settings);

/// One pair of events; nothing if they do not conflict, or the trace is cut and no window holds both.
std::optional<Verdict> predict_pair(const Subject& subject, const Settings& settings, std::uint32_t first,
                                    std::uint32_t second);

}  // namespace omen::relax
