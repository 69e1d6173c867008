/// \file
/// Prediction: for every candidate of a trace an answer in one model.
///
/// The trace is cut into windows that overlap by half; a trace that fits is one window. In each, candidates are decided
/// in parallel, a Z3 context for each. For `paths`, each turned branch's paths are then tried in batches.
/// Every race passes its judge before it is reported (judge.hpp); one that does not ends the process with code 70.
/// Answers do not depend on the number of jobs, nor on time.
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
  bool every = false;           ///< every pair of events is a candidate, not every pair of locations
  std::uint32_t window = 2000;  ///< events
  std::uint32_t pairs = 64;     ///< asked per candidate and window
  std::uint32_t paths = 512;    ///< tried per window
  std::size_t jobs = 1;
  SolverContext* context = nullptr;  ///< for all queries, one after the other, instead of one for each candidate
  QuerySink dump;                    ///< gets each query, under a name that no other has; from several threads at once
  std::function<void(double)> progress;  ///< from 0 to 1, now and then

  static Settings of_budget(std::uint64_t budget);
};

/// In the order of the candidates' locations.
std::vector<Verdict> predict(const Subject& subject, const Settings& settings);

/// One pair of events; nothing if no window holds both or they do not conflict.
std::optional<Verdict> predict_pair(const Subject& subject, const Settings& settings, std::uint32_t first,
                                    std::uint32_t second);

}  // namespace omen::relax
