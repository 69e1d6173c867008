/// \file
/// The exact step: can the threads of some goals be before them together? It tries windows from small to large, each by
/// search and then by Z3; the window that begins with the trace decides under LW.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vindicate/region.hpp"
#include "vindicate/search.hpp"
#include "vindicate/steps.hpp"

namespace omen::vindicate {

/// A query of the exact step, for people and other solvers.
struct SmtQuery {
  std::span<const EventNo> goals;
  bool deadlock;  ///< the goals are its requests, and not a racing pair
  EventNo begin;  ///< of the window
  const std::string& smt_lib;
};
using SmtSink = std::function<void(const SmtQuery&)>;

struct ExactDecision {
  Answer answer = Answer::OutOfBudget;
  Method method = Method::None;
  std::vector<EventNo> schedule;  ///< of `Answer::Yes`: without the goals
  EventNo window_begin = 0;
  std::size_t items = 0;  ///< of the last window
  std::string ran_out;    ///< the exhausted budget, if any
  std::uint64_t states = 0;
  std::uint64_t rlimit = 0;
  std::uint64_t work = 0;  ///< as `Verdict::work`
};

/// `relevant` is `Closure::relevant` of the goals.
ExactDecision decide_exactly(const TraceIndex& index, std::span<const EventNo> goals, const Cut& relevant,
                             const Methods& methods, const Budget& budget, const SmtSink& smt_sink);

}  // namespace omen::vindicate
