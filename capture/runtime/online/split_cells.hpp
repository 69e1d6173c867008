/// \file
/// Cells whose bytes have different states, or ancillary sections, or atomic accesses: the state of each byte, aside.
///
/// Atomic accesses do not race with each other, only with plain ones. So each thread with atomic accesses to a cell has
/// a view of its own of it: its atomic accesses, and all plain ones (docs/event-model.md, "Mixed accesses"). Views are
/// chained behind the cell's first, plain one, in the order of their making. With happens-before nearly all atomic
/// accesses are in planes instead (atomic_planes.hpp).
///
/// Discipline: guarded by the lock of the cell that names it. Readers without that lock look for their own epoch, and
/// look at the cell again afterwards: the memory of a split cell is never used for anything else.
#pragma once

#include "analysis/levels/lock_set.hpp"
#include "capture/runtime/online/residue.hpp"

namespace omen::rt::online {

/// In cache lines of its own: it goes from processor to processor with its cell.
struct alignas(64) SplitCell {
  static constexpr u32 kPlain = 0xffff;
  // With the number of an ancillary list: who need not look at it.
  static constexpr u32 kOwnList = u32{1} << 31;   ///< the thread that made the last access: all sections are its own
  static constexpr u32 kReadList = u32{1} << 30;  ///< who reads: no section has written
  static constexpr u32 list_in(u32 ancillary) { return ancillary & ~(kOwnList | kReadList); }

  std::atomic<u64> write[kCellBytes];  ///< words without bytes
  std::atomic<u64> read[kCellBytes];
  Relaxed<u32> ancillary[kCellBytes];  ///< numbers of `AncillaryLists`, and the above; 0: none
  std::atomic<u64> list_locks;  ///< those of all lists' sections, or more (LockSet): who holds none need not look
  Relaxed<u32> first;           ///< the plain one that it is a view of; itself, if it is that
  Relaxed<u32> next;            ///< the next view; of a free one: the next free one
  Relaxed<u32> changes;         ///< of a plain one: counts its states; 0: nobody has accessed the cell but atomically
  Relaxed<u16> owner;           ///< the slot of the thread whose atomic accesses are in it, or `kPlain`
  bool stays;  ///< its bytes are used apart, or it was whole with a vector: only if all are alike is it whole again
  std::atomic<u64> atomics;  ///< of a plain one: the slots of threads with atomic accesses in planes
  Residue residue;           ///< earlier accesses

  static constexpr u32 kChangesShift = 40;
  static constexpr u32 kMostChanges = (1U << (64 - kChangesShift)) - 2;
  /// A plain access, or its end, has changed it. Under the lock of its cell.
  void note_change() { changes = changes == kMostChanges ? 1 : changes + 1; }
  /// Are there atomic accesses, of other threads or the same?
  bool has_atomics() const { return next != 0 || atomics.load(std::memory_order_relaxed) != 0; }

  /// Is the last access to these bytes, or their last write, one of this epoch? Readers of a vector are not looked for.
  bool has(u64 epoch, u64 wanted, bool write_of_it) const {
    bool all = true;
    for (u64 left = wanted; left != 0; left &= left - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(left));
      all &= write[b].load(std::memory_order_relaxed) == epoch ||
             (!write_of_it && read[b].load(std::memory_order_relaxed) == epoch);
    }
    return all;
  }
  bool has_own_list(u32 byte) const { return (ancillary[byte] & kOwnList) != 0; }
  bool has_read_list(u32 byte) const { return (ancillary[byte] & kReadList) != 0; }
  /// Another thread makes the last access.
  void no_own_list(u32 byte) { ancillary[byte] = ancillary[byte] & ~kOwnList; }
  bool may_meet(LockSet sections) const { return (list_locks.load(std::memory_order_relaxed) & sections.bits()) != 0; }
};

static_assert(sizeof(SplitCell) == 256 && (1U << kSlotBits) <= SplitCell::kPlain);

class SplitCells {
 public:
  using Number = u32;

  bool create() {
    cells_ = static_cast<SplitCell*>(map_memory(kMost * sizeof(SplitCell)));
    return cells_ != nullptr;
  }
  void forget_all() {
    forget_memory(cells_, kMost * sizeof(SplitCell));
    next_ = 1;
    free_ = 0;
    live_ = 0;
    lock_.reset();
  }

  OMEN_INLINE SplitCell& operator[](Number number) { return cells_[number]; }

  /// The caller sets every field. 0: there is no more.
  Number take() {
    const SpinGuard guard(lock_);
    ++live_;
    if (free_ != 0) {
      const Number number = free_;
      free_ = cells_[number].next;
      return number;
    }
    if (next_ == kMost) return 0;
    return next_++;
  }
  void give_back(Number number) {
    SplitCell& cell = cells_[number];
    for (u32 b = 0; b < kCellBytes; ++b) {
      cell.write[b].store(0, std::memory_order_relaxed);
      cell.read[b].store(0, std::memory_order_relaxed);
    }
    cell.first = 0;  // whoever remembers it as a view knows that it is none now
    const SpinGuard guard(lock_);
    --live_;
    cell.next = free_;
    free_ = number;
  }
  u64 live() const { return live_; }

 private:
  static constexpr Number kMost = 1U << 27;  ///< 32 GiB of addresses, no memory until touched

  SplitCell* cells_ = nullptr;
  SpinLock lock_;  ///< guards the rest, and the links of free ones
  Number next_ = 1;
  Number free_ = 0;
  u64 live_ = 0;
};

}  // namespace omen::rt::online
