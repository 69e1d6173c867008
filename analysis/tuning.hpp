/// \file
/// The parameters that trade memory for time in an analysis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace omen {

struct Tuning {
  /// The first threads of a trace, up to this number, keep their clock entries for themselves. Later threads reuse
  /// entries of ended ones (analysis/thread_slots.hpp).
  std::uint32_t own_slots = 128;

  /// Section tables and rule (b) logs are collected when they hold this many entries, and then whenever they have
  /// doubled. 0: at every opportunity, which the tests use. A little less than a power of two, because rings of
  /// sections are powers of two: threads with about the same number of sections fill theirs.
  std::size_t first_collection = std::size_t{7} << 13;

  /// How many pairs of a lock and an atomic rule (a) stores separately (`AtomicSections`). Without a limit the analysis
  /// is exact; the online detector must bound its memory.
  std::size_t most_atomic_sections = std::numeric_limits<std::size_t>::max();

  /// How many sections of each thread a collection leaves alone because they are recent: a quarter of the number that
  /// triggers it.
  std::uint32_t recent(std::size_t threads) const {
    return first_collection == 0
               ? 0
               : static_cast<std::uint32_t>(1 + first_collection / 4 / std::max<std::size_t>(threads, 1));
  }

  /// When to collect next, if a collection left `live` entries and had to visit `visited` other things.
  std::size_t next_collection(std::size_t live, std::size_t visited = 0) const {
    return first_collection == 0 ? 0 : std::max({first_collection, 2 * live, live + visited / 2});
  }
};

}  // namespace omen
