/// \file
/// Mutates witnesses at random, to test a checker with witnesses that are nearly correct.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "test/judges/random.hpp"
#include "trace/trace.hpp"

namespace omen::checker {

using Witness = std::vector<std::uint32_t>;

/// Swaps, drops, duplicates, replaces, moves, truncates and extends; most mutations are small, so that they are hard to
/// detect.
inline void damage(Witness& witness, std::size_t events, judges::Random& random) {
  const auto any = [&] { return random.below(witness.size()); };
  const auto at = [&](std::size_t i) { return witness.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto any_event = [&] { return static_cast<std::uint32_t>(random.below(events + (random.percent(3) ? 2 : 0))); };
  if (witness.empty()) return witness.push_back(any_event());
  switch (random.below(8)) {
    case 0: {
      const std::size_t i = any();
      return std::swap(witness[i], witness[any()]);
    }
    case 1: {
      const std::size_t i = any();
      return std::swap(witness[i], witness[std::min(i + 1, witness.size() - 1)]);
    }
    case 2:
      witness.erase(at(any()));
      return;
    case 3: {
      const std::uint32_t again = witness[any()];
      witness.insert(at(any()), again);
      return;
    }
    case 4:
      witness[any()] = any_event();
      return;
    case 5:
      witness.insert(at(any()), any_event());
      return;
    case 6: {
      const std::size_t from = any();
      const std::uint32_t moved = witness[from];
      witness.erase(at(from));
      witness.insert(at(random.below(witness.size() + 1)), moved);
      return;
    }
    default:
      witness.erase(at(any()), witness.end());
      return;
  }
}

/// Half of the mutations also drop a whole thread's tail: those are often still correct.
inline void drop_tail(Witness& witness, const Trace& trace, judges::Random& random) {
  const ThreadId thread = trace.events[witness[random.below(witness.size())]].thread;
  std::size_t left = random.below(3) + 1;
  for (std::size_t i = witness.size() - 2; i-- > 0 && left > 0;) {
    if (trace.events[witness[i]].thread != thread) continue;
    witness.erase(witness.begin() + static_cast<std::ptrdiff_t>(i));
    --left;
  }
}

}  // namespace omen::checker
