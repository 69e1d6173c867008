/// \file
/// What the shadow is made of.
///
/// - `Word`: one access, as an epoch and what sort of access it was. Its bits are what the inlined checks compare with
///   `__omen_now` (capture/abi/layout.hpp): a plain epoch is slot and local time, and nothing else.
/// - `ByteSet`: bytes of one line of 64.
/// - `ReaderSet`: the threads that have read a line since it was written. It stands in the place of a read epoch.
#pragma once

#include "analysis/clocks/epoch.hpp"
#include "capture/runtime/base/platform.hpp"

namespace omen::rt::detect {

/// The index of a thread in clocks. It is used again when its thread has been joined.
using Slot = u32;
inline constexpr u32 kSlotBits = 13;
inline constexpr Slot kMostSlots = Slot{1} << kSlotBits;
inline constexpr Slot kNoSlot = ~Slot{0};

inline constexpr uptr kLineSize = 64;

/// What conflicts with what: see `conflict`.
enum class AccessKind : u8 { Read = 0, Write = 1, AtomicRead = 2, AtomicWrite = 3 };

OMEN_INLINE constexpr bool is_write(AccessKind kind) {
  return (static_cast<u8>(kind) & 1) != 0;
}
OMEN_INLINE constexpr bool is_atomic(AccessKind kind) {
  return (static_cast<u8>(kind) & 2) != 0;
}
/// Of accesses of two threads.
OMEN_INLINE constexpr bool conflict(AccessKind a, AccessKind b) {
  return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
}
/// Does every access that conflicts with `b` conflict with `a`?
OMEN_INLINE constexpr bool covers(AccessKind a, AccessKind b) {
  return (is_write(a) || !is_write(b)) && (!is_atomic(a) || is_atomic(b));
}

/// Bytes of a line, or of a mask that begins anywhere.
class ByteSet {
 public:
  constexpr ByteSet() = default;
  OMEN_INLINE constexpr explicit ByteSet(u64 bits) : bits_(bits) {}
  static OMEN_INLINE constexpr ByteSet all() { return ByteSet(~u64{0}); }
  /// All bytes, or none.
  static OMEN_INLINE constexpr ByteSet all_if(bool condition) { return ByteSet(u64{0} - u64{condition}); }
  /// Bytes side by side; those beyond the line's end are left out.
  static OMEN_INLINE constexpr ByteSet run(uptr offset, u64 bytes) {
    return ByteSet((~u64{0} >> (kLineSize - bytes)) << offset);
  }
  /// The bytes of the line at `base` that are in [begin, end); some are.
  static OMEN_INLINE constexpr ByteSet within(uptr base, uptr begin, uptr end) {
    u64 bits = ~u64{0};
    if (base < begin) bits &= ~u64{0} << (begin - base);
    if (end - base < kLineSize) bits &= ~u64{0} >> (kLineSize - (end - base));
    return ByteSet(bits);
  }

  OMEN_INLINE constexpr u64 bits() const { return bits_; }
  OMEN_INLINE constexpr bool is_empty() const { return bits_ == 0; }
  OMEN_INLINE constexpr bool meets(ByteSet other) const { return (bits_ & other.bits_) != 0; }
  OMEN_INLINE constexpr bool contains(ByteSet other) const { return (other.bits_ & ~bits_) == 0; }
  OMEN_INLINE constexpr bool has(uptr offset) const { return (bits_ >> offset & 1) != 0; }
  OMEN_INLINE constexpr ByteSet operator|(ByteSet other) const { return ByteSet(bits_ | other.bits_); }
  OMEN_INLINE constexpr ByteSet operator&(ByteSet other) const { return ByteSet(bits_ & other.bits_); }
  OMEN_INLINE constexpr ByteSet operator-(ByteSet other) const { return ByteSet(bits_ & ~other.bits_); }
  OMEN_INLINE constexpr ByteSet& operator|=(ByteSet other) { return *this = *this | other; }
  OMEN_INLINE constexpr ByteSet& operator&=(ByteSet other) { return *this = *this & other; }
  OMEN_INLINE constexpr ByteSet& operator-=(ByteSet other) { return *this = *this - other; }
  constexpr bool operator==(const ByteSet&) const = default;

  /// All bytes of the aligned groups of eight that have some of these.
  constexpr ByteSet whole_granules() const {
    u64 bits = bits_;
    bits |= bits >> 4 & 0x0f0f0f0f0f0f0f0f;
    bits |= bits >> 2 & 0x0303030303030303;
    bits |= bits >> 1;
    return ByteSet((bits & 0x0101010101010101) * 0xff);
  }
  OMEN_INLINE constexpr u32 first() const { return static_cast<u32>(__builtin_ctzll(bits_)); }
  OMEN_INLINE constexpr u32 last() const { return 63 - static_cast<u32>(__builtin_clzll(bits_)); }

  /// Calls `visit(offset)` for each byte.
  template <class Visit>
  OMEN_INLINE constexpr void for_each(Visit visit) const {
    for (u64 left = bits_; left != 0; left &= left - 1) visit(static_cast<u32>(__builtin_ctzll(left)));
  }
  /// Calls `visit(offset, length)` for bytes that stand side by side.
  template <class Visit>
  OMEN_INLINE constexpr void for_each_run(Visit visit) const {
    u64 left = bits_;
    u32 offset = 0;
    while (left != 0) {
      const u32 skipped = static_cast<u32>(__builtin_ctzll(left));
      left >>= skipped;
      offset += skipped;
      const u32 length = ~left == 0 ? 64 : static_cast<u32>(__builtin_ctzll(~left));
      visit(offset, length);
      left = length == 64 ? 0 : left >> length;
      offset += length;
    }
  }

 private:
  u64 bits_ = 0;
};

/// One access. All bits 0: none.
class Word {
 public:
  constexpr Word() = default;
  static OMEN_INLINE constexpr Word of_bits(u64 bits) { return Word(bits); }
  static OMEN_INLINE constexpr Word of(Slot slot, Time time, AccessKind kind = AccessKind::Read) {
    return Word((u64{static_cast<u8>(kind)} << kKindShift) | (u64{slot} << kSlotShift) | time);
  }

  OMEN_INLINE constexpr u64 bits() const { return bits_; }
  OMEN_INLINE constexpr bool is_none() const { return bits_ == 0; }
  OMEN_INLINE constexpr Slot slot() const { return static_cast<Slot>(bits_ >> kSlotShift) & (kMostSlots - 1); }
  OMEN_INLINE constexpr Time time() const { return static_cast<Time>(bits_); }
  OMEN_INLINE constexpr Epoch epoch() const { return {time(), ThreadId{slot()}}; }
  OMEN_INLINE constexpr AccessKind kind() const { return static_cast<AccessKind>(bits_ >> kKindShift & 3); }
  /// The epoch alone, as the words of a line and `__omen_now` have it.
  OMEN_INLINE constexpr Word plain() const { return Word(bits_ & ((u64{1} << kKindShift) - 1)); }
  /// The epoch of the thread before a plain one.
  OMEN_INLINE constexpr Word before() const { return Word(bits_ - 1); }
  OMEN_INLINE constexpr Word as(AccessKind kind) const { return of(slot(), time(), kind); }
  /// The access is not later than that: its epoch is in the log of the slot's thread (bounds.cpp).
  OMEN_INLINE constexpr bool is_bound() const { return (bits_ & kBound) != 0; }
  OMEN_INLINE constexpr Word as_bound() const { return Word(bits_ | kBound); }
  /// A later access that covers it is there: it matters for the sections that it took place in, and for no race.
  OMEN_INLINE constexpr bool is_displaced() const { return (bits_ & kDisplaced) != 0; }
  OMEN_INLINE constexpr Word as_displaced() const { return Word(bits_ | kDisplaced); }
  /// A displaced one that stands for several of its thread, up to its epoch.
  OMEN_INLINE constexpr bool is_merged() const { return (bits_ & kMerged) != 0; }
  OMEN_INLINE constexpr Word as_merged() const { return Word(bits_ | kMerged | kDisplaced); }
  constexpr bool operator==(const Word&) const = default;

  /// In the place of a read epoch: a `ReaderSet`.
  OMEN_INLINE constexpr bool is_shared() const { return (bits_ & kShared) != 0; }

  static constexpr u32 kSlotShift = 32;

 private:
  friend class ReaderSet;
  OMEN_INLINE constexpr explicit Word(u64 bits) : bits_(bits) {}
  static constexpr u32 kKindShift = kSlotShift + kSlotBits;
  static constexpr u64 kBound = u64{1} << (kKindShift + 2);
  static constexpr u64 kDisplaced = u64{1} << (kKindShift + 3);
  static constexpr u64 kMerged = u64{1} << (kKindShift + 4);
  static constexpr u64 kShared = u64{1} << 63;

  u64 bits_ = 0;
};
static_assert(sizeof(Word) == 8);

/// Threads that have read a line: a bit for each of the first slots, and one for all others together, of which each is
/// asked whether it has (thread_reads.hpp).
class ReaderSet {
 public:
  static constexpr Slot kNamed = 62;

  constexpr ReaderSet() = default;
  OMEN_INLINE constexpr explicit ReaderSet(Word word) : bits_(word.bits_ & ~Word::kShared) {}
  OMEN_INLINE constexpr Word word() const { return Word(bits_ | Word::kShared); }
  OMEN_INLINE constexpr void add(Slot slot) { bits_ |= bit(slot); }
  OMEN_INLINE constexpr bool may_have(Slot slot) const { return (bits_ & bit(slot)) != 0; }
  /// Calls `visit(slot)` for each that may be in it, of `slots` in all.
  template <class Visit>
  OMEN_INLINE constexpr void for_each(Slot slots, Visit visit) const {
    for (u64 left = bits_ & (bit(kNamed) - 1); left != 0; left &= left - 1) {
      visit(static_cast<Slot>(__builtin_ctzll(left)));
    }
    if (OMEN_LIKELY((bits_ & bit(kNamed)) == 0)) return;
    for (Slot slot = kNamed; slot < slots; ++slot) visit(slot);
  }

 private:
  static OMEN_INLINE constexpr u64 bit(Slot slot) { return u64{1} << (slot < kNamed ? slot : kNamed); }
  u64 bits_ = 0;
};

}  // namespace omen::rt::detect
