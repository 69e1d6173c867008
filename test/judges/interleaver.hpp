/// \file
/// The second step of the generator: interleaves the programs of threads to one well-formed trace. See
/// trace_generator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "test/judges/random.hpp"
#include "trace/trace.hpp"

namespace omen::judges {

/// An event that a thread intends to execute.
struct Step {
  Op op;
  std::size_t operand = 0;
  MemoryOrder order = MemoryOrder::Relaxed;
};

/// The programs of all threads, and the order of their turns.
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

/// Executes the scene, at most `max_events` events of it.
Trace interleave(Scene scene, std::size_t max_events, Random& random);

}  // namespace omen::judges
