/// \file
/// The first pass: everything about the run that must be known before its first event is written.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "capture/recording/lock_tracker.hpp"
#include "capture/recording/memory_map.hpp"
#include "capture/recording/mixed_memory.hpp"
#include "capture/recording/raw_file.hpp"
#include "capture/recording/refusals.hpp"
#include "capture/recording/stack_nodes.hpp"
#include "capture/recording/stop.hpp"
#include "trace/capture_info.hpp"

namespace omen::recording {

struct Survey {
  bool stopped = false;                          ///< recording ended before the program did
  std::uint64_t end_number = ~std::uint64_t{0};  ///< records from this number on are not part of the trace
  MemoryMap memory;
  MixedMemory mixed;
  std::unordered_set<std::uint64_t> irregular_locks;
  std::unordered_set<std::uint64_t> hidden_locks;  ///< locks with an opaque section
  LockTracker::Waits interrupted_waits;
  Refusals refusals;                              ///< of lock attempts
  std::unordered_set<std::uint64_t> found_empty;  ///< objects with a failed attempt to take something
  std::uint32_t threads = 0;
  std::string suppressions;   ///< the program's own suppressions
  bool acquires_all = false;  ///< some thread acquires from all threads
  CaptureInfo info;           ///< without the heap blocks
  StackNodes nodes;           ///< of `info.stacks`

  /// Ends the trace there, because the user requested the results so far.
  void end_before(std::uint64_t number);
  /// Resets the lives for another second pass.
  void forget_lives() {
    memory.forget_lives();
    mixed.forget_lives();
  }
};

/// True if the operation is a plain access to memory.
constexpr bool is_plain_access(raw::RawOp op) {
  return op == raw::RawOp::Read || op == raw::RawOp::Write || op == raw::RawOp::VptrWrite || op == raw::RawOp::Update;
}
/// No single operation accesses more. Longer accesses are damage: they are dropped, and nothing is allocated for them.
inline constexpr std::uint64_t kLongestAccess = std::uint64_t{1} << 32;
/// How much of a freed block is written: more would cost much and find little (as in ThreadSanitizer).
inline constexpr std::uint64_t kFreedBytes = 1024;
/// The first piece that begins in these bytes of an allocated block is written.
inline constexpr std::uint64_t kAllocatedBytes = 8;
constexpr bool touches_memory(raw::RawOp op) {
  return is_plain_access(op) || op == raw::RawOp::Benign;
}

constexpr bool is_atomic_access(raw::RawOp op) {
  return op == raw::RawOp::AtomicLoad || op == raw::RawOp::AtomicStore || op == raw::RawOp::AtomicRmw;
}
constexpr bool is_lock_step(raw::RawOp op) {
  switch (op) {
    case raw::RawOp::Acquire:
    case raw::RawOp::Release:
    case raw::RawOp::AcquireShared:
    case raw::RawOp::ReleaseShared:
    case raw::RawOp::Wait:
    case raw::RawOp::Wake:
    case raw::RawOp::LockForget:
      return true;
    default:
      return false;
  }
}

Survey survey(const RawFile& file, Stop& stop);

}  // namespace omen::recording
