/// \file
/// A trace as the detector in the running program sees it: operations on addresses. The judges' traces name variables;
/// here two accesses conflict where their bytes overlap.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/operation.hpp"

namespace omen::traces {

/// The runtime function that reports an access.
enum class Form : std::uint8_t {
  Sized,         ///< `__tsan_read4`
  Unaligned,     ///< `__tsan_unaligned_read4`
  ReadWrite,     ///< `__tsan_read_write4`
  Bytes,         ///< `__omen_read_bytes`: a mask
  Range,         ///< `__omen_read_range`
  TsanRange,     ///< `__tsan_read_range`
  FailedChange,  ///< an atomic load that is a compare-exchange which fails
  Exchange,      ///< an atomic rmw that is an exchange, not an addition
};

/// One operation of one thread. Threads are numbered; thread 0 is there from the start, the others are forked.
struct Step {
  std::uint8_t thread = 0;
  Op op = Op::Read;
  MemoryOrder order = MemoryOrder::Relaxed;
  Form form = Form::Sized;
  bool refused = false;      ///< of Acquire and AcquireShared: an attempt that found the lock taken
  std::uint8_t object = 0;   ///< lock, barrier or thread
  std::uint16_t offset = 0;  ///< of an object in memory: its first byte
  std::uint16_t bytes = 0;   ///< and how many there are
  std::uint64_t mask = 0;    ///< of `Form::Bytes`: which of them

  bool touches(std::size_t byte) const {
    return byte >= offset && byte < std::size_t{offset} + bytes &&
           (form != Form::Bytes || (mask >> (byte - offset) & 1) != 0);
  }
};

constexpr bool is_atomic(Op op) {
  return op == Op::AtomicLoad || op == Op::AtomicStore || op == Op::AtomicRmw;
}
/// Does the step access memory, plainly or atomically?
constexpr bool is_memory(Op op) {
  return is_access(op) || is_atomic(op) || op == Op::Allocate;
}
constexpr bool writes(Op op) {
  return is_write(op) || op == Op::AtomicStore || op == Op::AtomicRmw;
}

inline constexpr std::size_t kMostSteps = 128;
inline constexpr std::size_t kMostThreads = 16;
inline constexpr std::size_t kMostLocks = 16;
/// The memory of a program: accessed variables first, then locks and barriers.
inline constexpr std::size_t kData = 2048;
inline constexpr std::size_t kMemory = 4096;

struct Program {
  std::vector<Step> steps;
  std::array<std::uint16_t, kMostLocks> locks{};  ///< the offsets of the locks
  bool heap = false;                              ///< allocations are heap blocks
  bool recorded = false;  ///< then `Form::ReadWrite` is a read and a write; otherwise it is a write

  std::size_t threads() const;
};

/// Impossible steps are left out: releases of locks that are not held, steps of threads that have not been forked or
/// have ended, and so on. Thread 0 forks the threads that no other thread forks, at the start.
Program possible_part(const Program& program);

/// One step per line, in the STD format; a range of memory is named by its offset and length, a lock by its number and
/// offset. A failed attempt, which the format lacks, is `refused(m)`. A trailing comment has the rest: for each step
/// the function that reports it, for the program whether it has a heap.
std::string to_text(const Program& program);
/// Reads it back. Ends the process with an error and the line if it is malformed.
Program parse(const std::string& text);

}  // namespace omen::traces
