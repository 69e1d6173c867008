/// \file
/// Accesses to the bytes of a split cell that are no longer the last ones, and whose sections may still order somebody:
/// SmartTrack's ancillary sections, by the epochs that they are found from.
///
/// A thread that accesses a byte may know the last access, but not all sections in which it was made: one on an outer
/// lock may be open yet. If the thread holds none of their locks, it has nothing to learn. Then its access takes the
/// place of the other one, which is set aside here, and the analysis is not asked. Who comes later, and holds such a
/// lock, takes order from the sections (`Engine::learn`). In WCP the same is done with a thread's own accesses, whose
/// sections it may not know. Of those, what was kept beside planes stays there (kept_reads.hpp).
///
/// There is room for a few. Where it is not enough, those of one thread become a *span*: its last epoch stands for all
/// up to it, in any of which the thread may have accessed the bytes. Who comes later, and does not know that epoch with
/// all earlier sections, takes order from the thread's last section before it on each lock that it holds itself. That
/// is more order than there is: a predicted race may be missed, and none is made up. The section happened before
/// anyway, since the lock was taken after it.
///
/// Discipline: guarded by the lock of the cell. Whether there is something is also asked without it, by readers who
/// look at the cell again afterwards.
#pragma once

#include "capture/runtime/online/kept_reads.hpp"
#include "capture/runtime/online/thread_slots.hpp"

namespace omen::rt::online {

class Residue {
 public:
  static constexpr u32 kMost = 6;
  // In a word, which is otherwise as that of a cell, with bytes.
  static constexpr u64 kWrote = kBound;
  static constexpr u64 kSpan = kBound << 1;

  bool operator==(const Residue& other) const {
    u64 differences = keepers_ ^ other.keepers_;
    for (u32 i = 0; i < kMost; ++i) differences |= words_[i] ^ other.words_[i];
    return differences == 0;
  }
  bool is_empty() const { return keepers_ == 0 && !has_words(); }
  /// Something other than what is kept beside planes?
  bool has_words() const {
    u64 any = 0;
    for (const u64 word : words_) any |= word;
    return any != 0;
  }
  /// Calls `visit(epoch as a word, perhaps a span)` for those that an access of these bytes comes after. A read comes
  /// after writes only.
  template <class Visit>
  void for_each_before(u64 bytes, bool write, Visit visit) const {
    for (const u64 word : words_) {
      if ((word & bytes) != 0 && (write || (word & kWrote) != 0)) visit(without_bytes(word) | (word & kSpan));
    }
    for_each_keeper([&](u32 slot) {
      kept_reads.for_each(slot, base_, bytes, [&](const Kept& kept) {
        if (write || kept.wrote) visit(without_bytes(kept.word) | (kept.is_span() ? kSpan : 0));
      });
    });
  }

  /// What the thread has kept of the cell at `base` counts.
  void keep(u32 slot, uptr base) {
    keepers_ = keepers_ | reader_bit(slot);
    base_ = base;
  }
  /// The threads for which that is so, a bit for each.
  u64 keepers() const { return keepers_; }

  /// False: there is no room.
  bool add(const OnlineThread& state, u64 epoch, bool wrote, u64 bytes) {
    const u64 added = epoch | (wrote ? kWrote : 0);
    Relaxed<u64>* place = nullptr;
    for (Relaxed<u64>& word : words_) {
      if ((word & kSpan) != 0 && slot_in(word) == slot_in(epoch)) {
        word = united(word, added | bytes);
        return true;
      }
      const bool same = (word & ~kBytes) == added;
      if (!same && (word & bytes) != 0 && (wrote || (word & kWrote) == 0) && state.tells_all_of(added, word)) {
        word = without(word, bytes);
      }
      if (same || (word == 0 && place == nullptr)) place = &word;
      if (same) break;
    }
    if (place == nullptr) return add_to_span(added | bytes);
    *place = added | (*place & kBytes) | bytes;
    return true;
  }
  /// The thread accesses these bytes. What it knows with all sections, whoever comes after the access knows too. After
  /// a read these are writers: what readers need stays.
  void forget_settled(const OnlineThread& state, u64 bytes, bool write) {
    for (Relaxed<u64>& word : words_) {
      if ((word & bytes) != 0 && (write || (word & kWrote) == 0) && is_settled(state, word))
        word = without(word, bytes);
    }
  }
  /// The same of what is kept beside planes; once the write is the cell's last access.
  void forget_settled_kept(const OnlineThread& state, u64 bytes) {
    drop_kept(bytes, [&](const Kept& kept) { return kept.is_settled(state); });
  }
  void drop(u64 bytes) {
    for (Relaxed<u64>& word : words_) word = without(word, bytes);
    drop_kept(bytes, [](const Kept&) { return true; });
  }

 private:
  static bool is_settled(const OnlineThread& state, u64 word) {
    return (word & kSpan) != 0 ? state.is_all_settled(word) : state.is_settled(word);
  }
  /// Two accesses of a thread as a span.
  static u64 united(u64 word, u64 other) {
    const u64 later = time_in(word) > time_in(other) ? word : other;
    return (later & ~(kBytes | kOlder)) | ((word | other) & (kBytes | kWrote)) | kSpan;
  }
  /// There is no room for this one. False: nor are there two of one thread.
  bool add_to_span(u64 added) {
    for (Relaxed<u64>& word : words_) {
      if (slot_in(word) != slot_in(added)) continue;
      word = united(word, added);
      for (Relaxed<u64>* other = &word + 1; other != words_ + kMost; ++other) {
        if (slot_in(*other) != slot_in(added)) continue;
        word = united(word, *other);
        *other = 0;
      }
      return true;
    }
    for (u32 i = 0; i < kMost; ++i) {
      for (u32 j = i + 1; j < kMost; ++j) {
        if (slot_in(words_[i]) != slot_in(words_[j])) continue;
        words_[i] = united(words_[i], words_[j]);
        words_[j] = added;
        return true;
      }
    }
    return false;
  }

  template <class Visit>
  void for_each_keeper(Visit visit) const {
    for (u64 left = keepers_; left != 0; left &= left - 1) visit(static_cast<u32>(__builtin_ctzll(left)));
  }
  template <class Which>
  void drop_kept(u64 bytes, Which which) {
    for_each_keeper([&](u32 slot) {
      if (!kept_reads.drop(slot, base_, bytes, which)) keepers_ = keepers_ & ~reader_bit(slot);
    });
  }
  static u64 without(u64 word, u64 bytes) { return (word & kBytes & ~bytes) == 0 ? 0 : word & ~bytes; }

  Relaxed<u64> words_[kMost];
  Relaxed<u64> keepers_;
  Relaxed<uptr> base_;  ///< of the cell, if there are keepers
};

}  // namespace omen::rt::online
