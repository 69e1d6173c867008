/// \file
/// The exact step on small regions: a search over states, each visited once. A state is the progress of each thread,
/// and for each cell the last writer, if some remaining item needs it.
///
/// An item that cannot disable anything is executed at once, without a choice: one that takes no lock and changes no
/// cell that a remaining item still needs. Moving such an item to an earlier time turns a witness into a witness. A
/// state is dropped if an item that every witness contains can no longer see what it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "vindicate/region.hpp"

namespace omen::vindicate {

/// Can the threads of the goals be before them together?
enum class Answer : std::uint8_t { Yes, No, OutOfBudget };

struct ExactAnswer {
  Answer answer = Answer::OutOfBudget;
  std::vector<std::uint32_t> items;  ///< of a yes: in the order of their execution
  std::uint64_t cost = 0;            ///< states, or Z3's resource count
};

ExactAnswer search(const Region& region, std::size_t max_states);

}  // namespace omen::vindicate
