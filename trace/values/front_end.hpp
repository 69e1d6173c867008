/// \file
/// What prediction requires of a front end (the small language, or capture) beyond its value trace. Prediction itself
/// uses value traces only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

/// An alternative continuation of a thread from one of its branches: these events replace the branch and everything
/// that the thread did after it.
///
/// `events[0]` is the branch itself, with `recorded` negated. All events belong to one thread. Values that the thread
/// defined before the branch may be used; those defined after it may not. In branches, `recorded` is the direction that
/// this path takes; in a `Fix` it is the value that the path assumes; in all other events it is meaningless. The path
/// ends where something cannot be modelled exactly. The path need not be feasible: the solver decides that.
struct Path {
  std::vector<ValueEvent> events;
  bool complete = false;  ///< the thread ends after the last event; so it can be joined
};

class PathProvider {
 public:
  virtual ~PathProvider() = default;

  /// The paths from the branch `trace.events[branch]`, turned. New expressions, values, cells and names are added to
  /// `trace`; its events do not change. Calls must not overlap.
  virtual std::vector<Path> paths(ValueTrace& trace, std::size_t branch) = 0;
};

/// The externally visible next action of a thread in a witness. Local acts, `begin` and `end` are not steps: a thread
/// executes them on its way to its next step, and at its end when it is joined. Only what some step needs is executed,
/// so a thread may well stop before a fault.
struct Step {
  ThreadId thread{};
  Act act = Act::Read;        ///< Read, Write, Acquire, Release, Fork or Join
  std::uint32_t operand = 0;  ///< as in `ValueEvent`
  LocationId location{};
  std::uint64_t value = 0;  ///< for reads and writes: the value read or written
};

/// A race's schedule, and the two steps that are then possible in either order. The values of these two are
/// meaningless.
struct Witness {
  std::vector<Step> steps;
  Step first;
  Step second;
};

class Reexecutor {
 public:
  virtual ~Reexecutor() = default;

  /// Runs the program under the schedule. Succeeds if every step is the thread's next one, with the same values, and in
  /// the end both threads are at their racing accesses. Otherwise describes the difference. `trace` has the names of
  /// the witness's ids. May be called from several threads at once.
  virtual std::expected<void, std::string> run(const Witness& witness, const ValueTrace& trace) const = 0;
};

}  // namespace omen::values
