/// \file
/// The second step of the generator: programs of threads become one well-formed trace. See trace_generator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "test/judges/random.hpp"
#include "trace/trace.hpp"

namespace omen::judges {

/// An event that a thread means to perform.
struct Step {
  Op op;
  std::size_t operand = 0;
  MemoryOrder order = MemoryOrder::Relaxed;
};

/// What each thread means to do, and whose turn it is when.
struct Scene {
  std::vector<std::deque<Step>> programs;
  std::vector<std::size_t> schedule;
  bool recursive = false;  ///< locks may be taken again by their holder

  void add(std::size_t thread, const Step& step) {
    if (thread >= programs.size()) programs.resize(thread + 1);
    programs[thread].push_back(step);
    schedule.push_back(thread);
  }
};

/// Performs the scene, at most `max_events` events of it.
Trace interleave(Scene scene, std::size_t max_events, Random& random);

}  // namespace omen::judges
