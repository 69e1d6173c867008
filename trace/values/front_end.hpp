/// \file
/// What prediction requires of a front end (the small language, or capture) beyond its value trace. Prediction itself
/// uses value traces only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::values {

class PathProvider {
 public:
  virtual ~PathProvider() = default;

  /// The paths from the branch `trace.events[branch]` in its other direction. Adds new expressions, values, cells and
  /// names to `trace`; its events do not change. Calls must not overlap.
  virtual std::vector<Path> paths(ValueTrace& trace, std::size_t branch) = 0;
};

/// The paths that the trace itself contains.
class CarriedPaths final : public PathProvider {
 public:
  std::vector<Path> paths(ValueTrace& trace, std::size_t branch) override {
    const auto [begin, end] = std::ranges::equal_range(trace.paths, branch, {}, &CarriedPath::branch);
    std::vector<Path> result;
    for (auto at = begin; at != end; ++at) result.push_back(at->path);
    return result;
  }
};

/// Stores all paths that the provider finds in the trace.
inline void carry_paths(ValueTrace& trace, PathProvider& provider) {
  trace.carries_paths = true;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.events[i].act != Act::Branch) continue;
    for (Path& path : provider.paths(trace, i)) {
      if (!path.events.empty()) trace.paths.push_back({i, std::move(path)});
    }
  }
}

/// An observable step of a thread in a witness. Local acts, `begin` and `end` are not steps: a thread executes them
/// before its next step, or at its end when it is joined. No event is executed that no step needs, so a thread may stop
/// before a fault.
struct Step {
  ThreadId thread{};
  Act act = Act::Read;        ///< Read, Write, Acquire, Release, Fork or Join
  std::uint32_t operand = 0;  ///< as in `ValueEvent`
  LocationId location{};
  std::uint64_t value = 0;  ///< for reads and writes: the value read or written
};

/// The schedule of a race, and the two steps that are then possible in either order, whose values are meaningless.
struct Witness {
  std::vector<Step> steps;
  Step first;
  Step second;
};

class Reexecutor {
 public:
  virtual ~Reexecutor() = default;

  /// Executes the program under the schedule. Succeeds if every step is its thread's next one, with the same values,
  /// and both threads are at their racing accesses in the end. Otherwise describes the first difference. `trace` has
  /// the names of the witness's ids. Thread-safe.
  virtual std::expected<void, std::string> run(const Witness& witness, const ValueTrace& trace) const = 0;
};

}  // namespace omen::values
