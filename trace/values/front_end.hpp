/// \file
/// What prediction asks of a front end (the small language, or capture) beyond its value trace. Prediction itself knows
/// value traces only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

/// Another way a thread may go from one of its branches: these events instead of the branch and all that the thread
/// did after it.
///
/// `events[0]` is the branch itself, with `recorded` turned. All events are of one thread. Values that the thread
/// defined before the branch may be used; those defined after it may not. In branches, `recorded` is the way that this
/// path goes; in a `Fix` it is the value that the path assumes; in all other events it means nothing. The path ends
/// where something cannot be modelled exactly. Feasibility is not promised: the solver decides it.
struct Path {
  std::vector<ValueEvent> events;
  bool complete = false;  ///< the thread ends after the last event; so it can be joined
};

class PathProvider {
 public:
  virtual ~PathProvider() = default;

  /// The paths from the branch `trace.events[branch]`, turned. New expressions, values, cells and names are added to
  /// `trace`; its events do not change. Called by one thread at a time.
  virtual std::vector<Path> paths(ValueTrace& trace, std::size_t branch) = 0;
};

/// What a thread does next in a witness, as it can be seen from outside. Local acts, `begin` and `end` are not steps: a
/// thread does them on its way to its next step, and at its end when it is joined. Nothing is executed that no step
/// needs, so a thread may well stand before a fault.
struct Step {
  ThreadId thread{};
  Act act = Act::Read;        ///< Read, Write, Acquire, Release, Fork or Join
  std::uint32_t operand = 0;  ///< as in `ValueEvent`
  LocationId location{};
  std::uint64_t value = 0;  ///< of reads and writes: what is read or written
};

/// A race's schedule, and the two steps that are then possible in either order. The values of these two mean nothing.
struct Witness {
  std::vector<Step> steps;
  Step first;
  Step second;
};

class Reexecutor {
 public:
  virtual ~Reexecutor() = default;

  /// Runs the program under the schedule. Good if every step is the thread's next one, with the same values, and in the
  /// end both threads stand at their racing accesses. Otherwise says in words what went differently. `trace`
  /// gives names to the witness's ids. May be called from several threads at once.
  virtual std::expected<void, std::string> run(const Witness& witness, const ValueTrace& trace) const = 0;
};

}  // namespace omen::values
