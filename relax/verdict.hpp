/// \file
/// What is said of a candidate: a race with its witness, impossible, or out of budget; and what a "no" is good for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relax/encoding.hpp"
#include "relax/replay.hpp"

namespace omen::relax {

/// A branch that went the other way in a witness, and what its thread did then.
struct TurnedBranch {
  std::uint32_t branch = kNone;  ///< the event; `kNone`: no branch was turned
  values::Path path;

  Turn turn() const { return branch == kNone ? Turn{} : Turn{branch, &path}; }
};

struct Verdict {
  Answer answer = Answer::Impossible;
  std::uint32_t first = 0;   ///< the racing events, or those of the first pair that was asked about;
  std::uint32_t second = 0;  ///< from the trace's size on: in the path
  LocationId first_location{};
  LocationId second_location{};
  std::uint32_t variable = 0;

  std::vector<std::uint32_t> schedule;  ///< of a race: the events that are executed before it
  std::vector<Observed> accesses;       ///< of a race, with values: what they read and wrote
  TurnedBranch turned;                  ///< of a race

  Window window;            ///< where a race was found; what a "no" is good for: the widest window asked
  bool whole = true;        ///< the window is the whole trace
  std::uint64_t pairs = 0;  ///< of events at these locations, as far as windows hold both
  std::uint64_t asked = 0;  ///< of these: decided, by a query or plainly
  std::uint64_t paths = 0;  ///< turned paths on which the candidate was looked for
  std::string ran_out;      ///< of an out-of-budget answer: what ran out
  std::uint64_t cost = 0;   ///< Z3's resources
};

}  // namespace omen::relax
