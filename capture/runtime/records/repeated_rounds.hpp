/// \file
/// Threads that poll: `lock; read; unlock`, repeatedly, until another thread has changed something. To record each
/// round would take gigabytes in seconds. A round that only repeats the previous one is taken back.
///
/// A *round* of a thread is what it records after one release of a lock up to its next release: accesses, one acquire,
/// accesses, one release of the same lock. A round R' is taken back if the previous round R was the same and
///
/// 1. both have reads only, of the same memory at the same places of the program, and no other operations;
/// 2. no other thread has acquired or released the lock since R acquired it;
/// 3. no thread has written to what R' reads since R began.
///
/// The thread then continues with the number that it had after R, as if R' had not happened.
///
/// *Sound.* Let σ be a correct reordering of the recorded events. Insert R' after R's last event in it. The lock is
/// free there: R has just released it, and by (2) and the adjacency no thread holds it. R' reads what R read: by (3)
/// the same writes precede both in the run, and none comes in between in σ. So σ with R' is correct for what the
/// program did, and shows the same race.
///
/// *Complete.* By (2) the thread has acquired no order between R and R', and by (1) it has released order only at R'’s
/// release; a thread that acquires the lock after R' acquires it, in the recording, after R, which has the same thread
/// and the same places. So an event is ordered before or after a read of R' exactly if it is for R's read at that
/// place: what races with the one races with the other.
///
/// How (3) is decided: a read of memory that another thread wrote meanwhile takes a fresh number (line_table.hpp),
/// which its record shows; but if a third thread read it before, the line is shared since a number that is greater than
/// the one at which R began (`sees_shared_line`). Atomic writes do not change the table of lines; a round that reads a
/// line with atomics is kept.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt {

/// The last user of each lock. Locks that share a slot count as one: then rounds are kept.
class LockUsers {
 public:
  /// The thread uses the lock. True: no other thread has used it since this one did. Then nothing is written.
  bool used(uptr lock, u32 thread) {
    std::atomic<u32>& user = users_[(lock >> 3) % kPlaces];
    return user.load() == thread + 1 || user.exchange(thread + 1) == thread + 1;
  }

 private:
  static constexpr std::size_t kPlaces = 4096;
  std::atomic<u32> users_[kPlaces] = {};
};

/// Lines with atomic writes. Lines that share a slot count as one.
class AtomicLines {
 public:
  void add(uptr line) {
    std::atomic<u8>& place = places_[line % kPlaces];
    if (place.load(std::memory_order_relaxed) == 0) place.store(1, std::memory_order_relaxed);
  }
  bool may_have(uptr line) const { return places_[line % kPlaces].load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 16;
  std::atomic<u8> places_[kPlaces] = {};
};

/// The last two rounds of a thread, in its chunk.
class RepeatedRounds {
 public:
  /// The thread writes to another chunk now.
  void forget() { *this = {}; }

  /// The thread reads a line that is shared since that number.
  void sees_shared_line(u64 number) { now_.is_alone &= number <= earlier_.number; }
  /// It writes, or accesses memory that may have been written without a change here.
  void sees_other() { now_.is_alone = false; }
  /// False: the round is kept, whatever follows.
  bool may_repeat() const { return now_.is_alone; }
  /// The thread acquires or releases a lock. `is_alone`: no other thread has used it since this one did.
  void uses_lock(bool is_alone) {
    now_.is_alone &= is_alone;
    was_alone_ = is_alone;
  }

  /// The thread has just recorded a release; its next record goes to `next`. True: the round repeats the previous one,
  /// and must be taken back to `begin`, where the thread had the number `number`.
  bool ends(const u64* next) const { return now_.is_alone && earlier_.begin != nullptr && repeats(next); }
  u64* begin() const { return now_.begin; }
  u64 number() const { return now_.number; }
  /// The next round begins; `number` is the thread's. The one that ended was taken back, or is now the earlier one.
  void begin_next(u64* next, u64 number, bool was_taken_back) {
    if (!was_taken_back) earlier_ = now_;
    now_ = {next, number, was_alone_};
  }

 private:
  struct Round {
    u64* begin = nullptr;   ///< null: none
    u64 number = 0;         ///< of the thread, and of its last record, when it began
    bool is_alone = false;  ///< as far as known here, no other thread has used its lock or written to what it reads
  };

  /// True if [now_.begin, next) has the same records as the earlier round, and only those that a round may have.
  bool repeats(const u64* next) const;

  Round earlier_;  ///< the rounds that were taken back followed it
  Round now_;
  bool was_alone_ = false;  ///< at the latest use of a lock
};

}  // namespace omen::rt
