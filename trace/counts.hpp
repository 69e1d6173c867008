/// \file
/// Statistics of a trace, for `omen stats`.
/// Invariant: memory grows with threads and with distinct locations, not with events.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/event.hpp"

namespace omen {

/// Operations that can order threads: not accesses, allocations, or a thread's own begin and end.
constexpr bool is_synchronisation(Op op) {
  return !is_access(op) && op != Op::Allocate && op != Op::Begin && op != Op::End;
}

class Counts {
 public:
  /// Accesses are counted by how many locks their thread holds; the last entry is for that many and more.
  static constexpr std::size_t kHeldLocks = 5;

  /// `events` are well formed, and `nested` is set in them.
  void add(std::span<const Event> events);

  std::uint64_t events() const { return events_; }
  std::uint64_t of(Op op) const { return operations_[static_cast<std::size_t>(op)]; }
  std::uint64_t accesses() const;
  std::uint64_t synchronisation() const;
  std::uint64_t numeric_locations() const { return numeric_locations_; }  ///< distinct ones
  std::uint32_t most_held_locks() const { return most_held_; }            ///< by one thread at one time
  const std::array<std::uint64_t, kHeldLocks>& accesses_by_held_locks() const { return accesses_by_held_; }

 private:
  static constexpr std::size_t kChunkBits = 1U << 16;
  using Chunk = std::bitset<kChunkBits>;

  void hold(std::uint32_t& held, const Event& event);
  void see_number(std::uint32_t number);

  std::uint64_t events_ = 0;
  std::array<std::uint64_t, kOpCount> operations_{};
  std::vector<std::uint32_t> held_;  ///< by thread: the number of locks that it holds
  std::uint32_t most_held_ = 0;
  std::array<std::uint64_t, kHeldLocks> accesses_by_held_{};
  std::vector<std::unique_ptr<Chunk>> numbers_seen_;  ///< a chunk is allocated when a number falls into it
  std::uint64_t numeric_locations_ = 0;
};

}  // namespace omen
