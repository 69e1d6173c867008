/// \file
/// The operations of the event model, and one table with the name in text and the operand kind of each.
/// docs/event-model.md defines how each operation orders events in each relation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace omen {

/// The numeric values are part of the `.omen` format: append, never renumber.
enum class Op : std::uint8_t {
  Read = 0,
  Write = 1,
  Acquire = 2,  ///< exclusive; by the holder again: a recursive lock
  Release = 3,
  Fork = 4,
  Join = 5,
  Begin = 6,
  End = 7,
  AcquireShared = 8,  ///< the reader's side of a reader/writer lock
  ReleaseShared = 9,
  Wait = 10,  ///< a condition wait releases its mutex, whatever the recursion depth …
  Wake = 11,  ///< … and has re-acquired it, at the same depth
  BarrierArrive = 12,
  BarrierLeave = 13,
  AtomicLoad = 14,
  AtomicStore = 15,
  AtomicRmw = 16,
  Fence = 17,
  Allocate = 18,  ///< the variable begins a new life: accesses before do not conflict with accesses after
  Free = 19,      ///< a write to the variable
};
inline constexpr std::size_t kOpCount = 20;

/// C++'s memory orders (consume is recorded as acquire). Only atomics and fences have one; other operations have
/// `Relaxed`, except for `kAttempt`. The numeric values are part of the `.omen` format.
enum class MemoryOrder : std::uint8_t { Relaxed = 0, Acquire = 1, Release = 2, AcqRel = 3, SeqCst = 4 };
inline constexpr std::size_t kMemoryOrderCount = 5;

constexpr bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}
constexpr bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}

/// The kind of an operation's operand.
enum class OperandKind : std::uint8_t { None, Variable, Lock, Thread, Barrier, Atomic };
inline constexpr std::size_t kOperandKindCount = 6;

struct OpTraits {
  Op op;
  std::string_view name;  ///< in the STD text format
  OperandKind operand;
  bool ordered;  ///< carries a memory order: `load.acquire(a)`
};

inline constexpr std::array<OpTraits, kOpCount> kOpTraits{{
    {Op::Read, "r", OperandKind::Variable, false},
    {Op::Write, "w", OperandKind::Variable, false},
    {Op::Acquire, "acq", OperandKind::Lock, false},
    {Op::Release, "rel", OperandKind::Lock, false},
    {Op::Fork, "fork", OperandKind::Thread, false},
    {Op::Join, "join", OperandKind::Thread, false},
    {Op::Begin, "begin", OperandKind::None, false},
    {Op::End, "end", OperandKind::None, false},
    {Op::AcquireShared, "racq", OperandKind::Lock, false},
    {Op::ReleaseShared, "rrel", OperandKind::Lock, false},
    {Op::Wait, "wait", OperandKind::Lock, false},
    {Op::Wake, "wake", OperandKind::Lock, false},
    {Op::BarrierArrive, "arrive", OperandKind::Barrier, false},
    {Op::BarrierLeave, "leave", OperandKind::Barrier, false},
    {Op::AtomicLoad, "load", OperandKind::Atomic, true},
    {Op::AtomicStore, "store", OperandKind::Atomic, true},
    {Op::AtomicRmw, "rmw", OperandKind::Atomic, true},
    {Op::Fence, "fence", OperandKind::None, true},
    {Op::Allocate, "alloc", OperandKind::Variable, false},
    {Op::Free, "free", OperandKind::Variable, false},
}};

inline constexpr std::array<std::string_view, kMemoryOrderCount> kMemoryOrderNames{"relaxed", "acquire", "release",
                                                                                   "acq_rel", "seq_cst"};

constexpr const OpTraits& traits(Op op) {
  return kOpTraits[static_cast<std::size_t>(op)];
}
constexpr std::string_view name(MemoryOrder order) {
  return kMemoryOrderNames[static_cast<std::size_t>(order)];
}

/// Used as the memory order of a lock's acquire: it was taken by an attempt that may fail (a try-lock, a lock with a
/// timeout), so its thread never waits for the lock without end.
inline constexpr MemoryOrder kAttempt = MemoryOrder::Acquire;
constexpr bool is_attempt(Op op, MemoryOrder order) {
  return (op == Op::Acquire || op == Op::AcquireShared) && order == kAttempt;
}
/// The suffix of the operation's name in text, after a dot: the memory order, or "try"; may be empty.
constexpr std::string_view suffix(Op op, MemoryOrder order) {
  if (is_attempt(op, order)) return "try";
  return traits(op).ordered ? name(order) : std::string_view{};
}

/// Operations that can be part of an update, which text marks with a suffix.
constexpr bool can_be_update(Op op) {
  return op == Op::Read || op == Op::Write || op == Op::AtomicRmw;
}
inline constexpr std::string_view kUpdateName = "update";

/// Reads, writes and frees: the operations that can race.
constexpr bool is_access(Op op) {
  return op == Op::Read || op == Op::Write || op == Op::Free;
}
constexpr bool is_write(Op op) {
  return op == Op::Write || op == Op::Free;
}

/// C++ forbids a load that releases and a store that acquires; every reader rejects such an event.
constexpr bool order_fits(Op op, MemoryOrder order) {
  switch (op) {
    case Op::AtomicLoad:
      return order != MemoryOrder::Release && order != MemoryOrder::AcqRel;
    case Op::AtomicStore:
      return order != MemoryOrder::Acquire && order != MemoryOrder::AcqRel;
    case Op::Fence:
      return order != MemoryOrder::Relaxed;
    case Op::AtomicRmw:
      return true;
    case Op::Acquire:
    case Op::AcquireShared:
      return order == MemoryOrder::Relaxed || order == kAttempt;
    default:
      return order == MemoryOrder::Relaxed;
  }
}

}  // namespace omen
