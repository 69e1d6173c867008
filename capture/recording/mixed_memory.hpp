/// \file
/// Memory that is accessed both plainly and atomically.
///
/// Atomic accesses do not race with each other, only with plain ones. So each thread that accesses a piece of memory
/// atomically has a *view* of it, a variable of its own beside the piece's: with its atomic accesses, and all plain
/// ones (docs/event-model.md, "Mixed accesses").
///
/// The detector in the running program makes a view when it is first needed, for a cell of eight bytes
/// (capture/runtime/detector/detail.hpp). As there, a plain access meets the views of a cell in the order of their
/// making.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "capture/recording/memory_map.hpp"

namespace omen::recording {

/// One thread's, of one piece of a cell.
struct View {
  std::uint32_t thread;
  std::uint32_t made;  ///< when the thread first accessed the cell atomically: orders those of a cell
  std::uint8_t first;  ///< the piece's first byte in the cell
  std::uint8_t bytes;  ///< and how many there are
  Piece piece;
};

class MixedMemory {
 public:
  static constexpr std::uint64_t kCell = 8;
  /// From where to where.
  using Range = std::pair<std::uint64_t, std::uint64_t>;

  /// First pass: an atomic access.
  void atomic(std::uint64_t begin, std::uint64_t bytes, std::uint32_t thread);
  /// Between the passes. Seals the memory map too, which has all plain accesses; `freed` has the blocks that were
  /// freed.
  void seal(MemoryMap& memory, std::vector<Range> freed);
  /// After a second pass, before another one.
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
  /// Threads that access the same bytes atomically, and since when.
  struct User {
    std::uint32_t thread;
    std::uint32_t since;
  };
  using Users = std::vector<User>;
  void add_views(std::uint64_t begin, std::uint64_t end, const Users& users);
  void order_views(Range range, const Users& users);

  std::map<Range, Users> atomics_;                    ///< until they are sealed
  std::map<std::uint64_t, std::vector<View>> cells_;  ///< by address / kCell
  std::uint32_t users_ = 0;                           ///< counted, of all objects
};

}  // namespace omen::recording
