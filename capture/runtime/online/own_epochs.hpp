/// \file
/// Which locks a thread held in each of its latest epochs. In WCP a thread may not know its own critical sections: an
/// access that takes the place of an earlier one of the same thread must not lose the sections of that one. It does not
/// if it is in sections on the same locks, which have all the rivals that the earlier ones had; or if there were none.
///
/// That is asked at nearly every first access of an epoch to the thread's own memory. A thread holds few different sets
/// of locks, so the sets have numbers, an epoch has that of its set, and the thread knows which of them its own locks
/// supersede now: a byte of a small table and a bit tell. What they do not tell is found from the locks themselves.
#pragma once

#include "analysis/clocks/epoch.hpp"
#include "capture/runtime/platform.hpp"
#include "trace/ids.hpp"

namespace omen::rt::online {

/// The locks of one epoch, those that were taken shared apart from the others: a code for each. There is room for five,
/// or for two whose numbers are large; of more nothing is known.
class EpochLocks {
 public:
  bool operator==(const EpochLocks&) const = default;
  void add(LockId lock, bool shared) {
    if (!are_known()) return;
    u64 codes[kMost + 1] = {};
    u32 count = 0;
    u64 all = codes[count++] = u64{static_cast<u32>(lock)} * 2 + (shared ? 1 : 0) + 1;
    for_each([&](u64 code) { all |= codes[count++] = code; });
    const bool wide = all >> kBits != 0;
    packed_ = count > (wide ? kMostWide : kMost) || all >> kWideBits != 0 ? kMany : wide ? kWide : 0;
    for (u32 i = 0; i < count && are_known(); ++i) packed_ |= codes[i] << (i * (wide ? kWideBits : kBits));
  }
  static EpochLocks unknown() {
    EpochLocks locks;
    locks.packed_ = kMany;
    return locks;
  }
  bool are_known() const { return packed_ != kMany; }
  /// Does an access with these locks need those of an earlier one no more?
  bool supersede(EpochLocks earlier) const {
    if (!earlier.are_known()) return false;
    bool all = true;
    earlier.for_each([&](u64 code) { all &= has(code); });
    return all;
  }
  bool has(u64 code) const {
    bool found = false;
    for_each([&](u64 one) { found |= one == code; });
    return found;
  }
  /// Calls `visit(code)`; not if they are not known.
  template <class Visit>
  void for_each(Visit visit) const {
    const u32 bits = (packed_ & kWide) != 0 ? kWideBits : kBits;
    for (u64 left = are_known() ? packed_ & ~kWide : 0; left != 0; left >>= bits) {
      visit(left & ((u64{1} << bits) - 1));
    }
  }

 private:
  static constexpr u32 kBits = 12;
  static constexpr u32 kMost = 5;
  static constexpr u32 kWideBits = 31;
  static constexpr u32 kMostWide = 2;
  static constexpr u64 kWide = u64{1} << 63;
  static constexpr u64 kMany = ~u64{0};
  u64 packed_ = 0;
};

/// Numbers for the sets of locks of a thread's latest epochs, and which of them supersedes which.
class NumberedLocks {
 public:
  using Number = u8;
  static constexpr Number kOther = 0;  ///< of all sets without a number: it tells nothing
  static constexpr u32 kMost = 64;

  /// The number of this set, which is the thread's at this time. One that no epoch within `kept` has any more may be
  /// given to another set.
  Number number_of(EpochLocks locks, Time now, Time kept) {
    if (!locks.are_known()) return kOther;
    u32 free = 0;
    for (u32 i = kNone; i < count_; ++i) {
      if (sets_[i] == locks) {
        used_[i] = now;
        return static_cast<Number>(i);
      }
      if (i != kNone && now - used_[i] >= kept) free = i;
    }
    if (free == 0 && count_ < kMost) free = count_++;
    if (free == 0) return kOther;
    sets_[free] = locks;
    used_[free] = now;
    for (u32 i = kNone; i < count_; ++i) {
      set(i, free);
      set(free, i);
    }
    return static_cast<Number>(free);
  }
  EpochLocks locks_of(Number number) const { return number == kOther ? EpochLocks::unknown() : sets_[number]; }
  /// A bit for each number whose set this one supersedes.
  u64 superseded_by(Number number) const { return superseded_[number]; }

 private:
  static constexpr u32 kNone = 1;  ///< no lock at all

  void set(u32 later, u32 earlier) {
    const u64 bit = u64{1} << earlier;
    superseded_[later] = (superseded_[later] & ~bit) | (sets_[later].supersede(sets_[earlier]) ? bit : 0);
  }

  u32 count_ = kNone + 1;
  EpochLocks sets_[kMost];
  Time used_[kMost] = {};  ///< when the set was last the thread's
  u64 superseded_[kMost] = {u64{1} << kNone, u64{1} << kNone};
};

/// Only the thread itself uses it.
class OwnEpochs {
 public:
  bool exists() const { return epochs_ != nullptr; }
  bool create() {
    epochs_ = static_cast<Epochs*>(map_memory(sizeof(Epochs)));
    return exists();
  }
  void destroy() {
    if (exists()) unmap_memory(epochs_, sizeof(Epochs));
  }

  /// Up to this one the epochs are those of earlier threads in the slot, all of which is known, with their sections.
  void begin_after(Time last) { last_of_others_ = last; }
  /// What the thread holds now.
  void set(Time now, EpochLocks locks) {
    if (since_ == 0 || !locks.supersede(locks_)) since_ = now;  // what the slot's last thread did is not its own
    // Times that nobody has told of are no epochs of the thread's; what stands there is of long ago.
    for (Time skipped = now_ + 1; now_ != 0 && skipped < now && skipped - now_ <= kNumbered; ++skipped) {
      epochs_->numbers[skipped % kNumbered] = NumberedLocks::kOther;
    }
    const NumberedLocks::Number number = numbered_.number_of(locks, now, kNumbered);
    superseded_ = numbered_.superseded_by(number);
    locks_ = locks;
    now_ = now;
    epochs_->numbers[now % kNumbered] = number;
    epochs_->locks[now % kEpochs] = {now, locks};
  }
  /// Need the locks of this epoch not be remembered any longer? False if that is not known.
  bool are_superseded(Time time) const {
    return are_surely_superseded(time) || time <= last_of_others_ || locks_.supersede(locks_at(time));
  }
  EpochLocks locks() const { return locks_; }
  /// The locks of an epoch; perhaps unknown.
  EpochLocks locks_at(Time time) const {
    const Locks& at = epochs_->locks[time % kEpochs];
    if (at.time == time) return at.locks;
    return now_ - time < kNumbered ? numbered_.locks_of(epochs_->numbers[time % kNumbered]) : EpochLocks::unknown();
  }
  /// Would a later one of these epochs do as well as the earlier one? False if that is not known.
  bool supersedes(Time later, Time earlier) const { return locks_at(later).supersede(locks_at(earlier)); }
  /// As `are_superseded`, by numbers alone; false: perhaps. There may be no epochs.
  OMEN_INLINE bool are_surely_superseded(Time time) const {
    return exists() && now_ - time < kNumbered && (superseded_ >> epochs_->numbers[time % kNumbered] & 1) != 0;
  }
  /// Those of all epochs from this one on are superseded.
  Time since() const { return since_; }

 private:
  struct Locks {
    Time time;
    EpochLocks locks;
  };
  static constexpr u32 kEpochs = 1U << 16;
  static constexpr u32 kNumbered = 1U << 20;
  struct Epochs {
    NumberedLocks::Number numbers[kNumbered];
    Locks locks[kEpochs];
  };
  Epochs* epochs_ = nullptr;
  u64 superseded_ = 0;  ///< numbers of sets that the thread's locks supersede
  Time now_ = 0;
  Time since_ = 0;
  Time last_of_others_ = 0;
  EpochLocks locks_;
  NumberedLocks numbered_;
};

}  // namespace omen::rt::online
