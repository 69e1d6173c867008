/// \file
/// The judge of witnesses on value traces: executes a schedule concretely, event by event, and evaluates every
/// expression. It knows value traces and the rules of well-formedness, and shares nothing with the encoding.
///
/// A schedule lists the events that other threads can notice; what a thread does locally in between is executed on its
/// way. Events from the trace's size on belong to the path. Good is a schedule in which every event is its thread's
/// next, every branch and fixed value comes out as recorded (on the path: as the path says), and after which both
/// threads stand at conflicting accesses. Time is linear in the trace.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "relax/execution.hpp"

namespace omen::relax {

/// What an access of the schedule read or wrote.
struct Observed {
  std::uint32_t event;
  std::uint64_t value;
};

struct Replayed {
  std::vector<Observed> accesses;
  values::Witness witness;  ///< the same for a front end's `Reexecutor`
};

/// `racing` are the last two events, which are not executed.
std::expected<Replayed, std::string> replay(const values::ValueTrace& trace, const Turn& turn,
                                            std::span<const std::uint32_t> schedule, std::uint32_t first,
                                            std::uint32_t second);

/// The event that a number stands for.
const values::ValueEvent& event_at(const values::ValueTrace& trace, const Turn& turn, std::uint32_t event);

}  // namespace omen::relax
