/// \file
/// Which locks a thread held in each of its latest epochs. In WCP a thread may not know its own critical sections: an
/// access that takes the place of an earlier one of the same thread must not lose the sections of that one. It does not
/// if it is in sections on the same locks, which have all the rivals that the earlier ones had; or if there were none.
#pragma once

#include "analysis/clocks/epoch.hpp"
#include "capture/runtime/platform.hpp"
#include "trace/ids.hpp"

namespace omen::rt::online {

/// The locks of one epoch. Two at the most are told apart; of more nothing is known.
class EpochLocks {
 public:
  void add(LockId lock, bool shared) {
    const u64 one = u64{static_cast<u32>(lock)} * 2 + (shared ? 1 : 0) + 1;
    packed_ = packed_ == 0 ? one : packed_ >> 32 == 0 && one >> 32 == 0 ? packed_ | (one << 32) : kMany;
  }
  /// Does an access with these locks need those of an earlier one no more?
  bool supersede(EpochLocks earlier) const {
    if (earlier.packed_ == 0) return true;
    if (earlier.packed_ == kMany || packed_ == kMany) return false;
    return has(earlier.packed_ & kFirst) && (earlier.packed_ >> 32 == 0 || has(earlier.packed_ >> 32));
  }

 private:
  bool has(u64 one) const { return (packed_ & kFirst) == one || packed_ >> 32 == one; }

  static constexpr u64 kMany = ~u64{0};
  static constexpr u64 kFirst = ~u32{0};
  u64 packed_ = 0;
};

/// Only the thread itself uses it.
class OwnEpochs {
 public:
  bool exists() const { return epochs_ != nullptr; }
  bool create() {
    epochs_ = static_cast<Locks*>(map_memory(kEpochs * sizeof(Locks)));
    return exists();
  }
  void destroy() {
    if (exists()) unmap_memory(epochs_, kEpochs * sizeof(Locks));
  }

  /// Up to this one the epochs are those of earlier threads in the slot, all of which is known, with their sections.
  void begin_after(Time last) { last_of_others_ = last; }
  /// What the thread holds now.
  void set(Time now, EpochLocks locks) {
    if (since_ == 0 || !locks.supersede(locks_)) since_ = now;  // what the slot's last thread did is not its own
    locks_ = locks;
    epochs_[now % kEpochs] = {now, locks};
  }
  /// Need the locks of this epoch not be remembered any longer? False if that is not known.
  bool are_superseded(Time time) const {
    const Locks& at = epochs_[time % kEpochs];
    return time <= last_of_others_ || (at.time == time && locks_.supersede(at.locks));
  }
  /// Those of all epochs from this one on are superseded.
  Time since() const { return since_; }

 private:
  struct Locks {
    Time time;
    EpochLocks locks;
  };
  static constexpr u32 kEpochs = 1U << 16;
  Locks* epochs_ = nullptr;
  EpochLocks locks_;
  Time since_ = 0;
  Time last_of_others_ = 0;
};

}  // namespace omen::rt::online
