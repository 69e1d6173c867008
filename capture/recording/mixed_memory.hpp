/// \file
/// Memory that is accessed both plainly and atomically.
///
/// Atomic accesses do not race with each other, only with plain ones. So each thread that accesses a piece of memory
/// atomically has a *view* of it, a variable in addition to the piece's own. The view has the thread's atomic accesses,
/// and all plain ones (docs/event-model.md, "Mixed accesses").
///
/// The online detector creates a view when it is first needed, for a cell of eight bytes
/// (capture/runtime/detector/detail.hpp). As there, a plain access meets the views of a cell in the order of their
/// creation.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "capture/recording/memory_map.hpp"

namespace omen::recording {

/// The view of one thread, of one piece of a cell.
struct View {
  std::uint32_t thread;
  std::uint32_t made;  ///< when the thread first accessed the cell atomically; orders the views of a cell
  std::uint8_t first;  ///< the piece's first byte in the cell
  std::uint8_t bytes;  ///< the number of bytes
  Piece piece;
};

class MixedMemory {
 public:
  static constexpr std::uint64_t kCell = 8;
  /// Begin and end.
  using Range = std::pair<std::uint64_t, std::uint64_t>;

  /// First pass: an atomic access.
  void atomic(std::uint64_t begin, std::uint64_t bytes, std::uint32_t thread);
  /// Called between the passes. Also seals the memory map, which has all plain accesses. `freed` contains the freed
  /// blocks.
  void seal(MemoryMap& memory, std::vector<Range> freed);
  /// Called after a second pass, before another one.
  void forget_lives();

  /// Second pass: `take(address, view)` for each view of a piece that begins in [begin, end), by cells.
  template <class Take>
  void for_each_view(std::uint64_t begin, std::uint64_t end, Take take) {
    for (auto cell = cells_.lower_bound(begin / kCell); cell != cells_.end() && cell->first * kCell < end; ++cell) {
      for (View& view : cell->second) {
        const std::uint64_t address = cell->first * kCell + view.first;
        if (begin <= address && address < end) take(address, view);
      }
    }
  }

 private:
  /// A thread that accesses the same bytes atomically, and since when.
  struct User {
    std::uint32_t thread;
    std::uint32_t since;
  };
  using Users = std::vector<User>;
  void add_views(std::uint64_t begin, std::uint64_t end, const Users& users);
  void order_views(Range range, const Users& users);

  std::map<Range, Users> atomics_;                    ///< until they are sealed
  std::map<std::uint64_t, std::vector<View>> cells_;  ///< by address / kCell
  std::uint32_t users_ = 0;                           ///< number of users of all objects
};

}  // namespace omen::recording
