/// \file
/// Threads that poll: `lock; look; unlock`, over and over, until another thread has changed something. Each round would
/// be recorded, gigabytes in seconds. A round that only repeats the one before it is taken back.
///
/// A *round* of a thread is what it records from behind one release of a lock to its next release: accesses, one
/// acquire, accesses, one release of the same lock. A round R' is taken back if the round R before it was the same and
///
/// 1. both have reads only, of the same memory at the same places of the program, and no other operations;
/// 2. nobody else has taken or released the lock since R took it;
/// 3. nobody has written to what R' reads since R began.
///
/// The thread then goes on with the number that it had behind R, as if R' had not been.
///
/// *Nothing is made up.* Let σ be a reordering that is correct for the recorded events. Put R' behind R's last event
/// in it. The lock is free there: R has just released it, and by (2) and the adjacency nobody has it. R' reads what R
/// read: by (3) the same writes stand before both in the run, and none comes in between in σ. So σ with R' is correct
/// for what the program did, and shows the same race.
///
/// *Nothing is missed.* By (2) the thread has learned nothing between R and R', and by (1) it has told others nothing
/// but at R'’s release; whoever takes the lock after R' takes it, in the recording, after R, by the same thread and at
/// the same places. So whatever is ordered before or after a read of R' is so for R's read at that place: whatever
/// races with the one races with the other.
///
/// How (3) is known: a read of memory that somebody wrote meanwhile takes a fresh number (line_table.hpp), which its
/// record shows; but if yet another thread read it before, it finds the line shared since a number that is greater than
/// the one at which R began (`sees_shared_line`). Atomic writes leave nothing in the table of lines; a round that reads
/// a line with atomics is kept.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt {

/// Who used a lock last. Locks that share a place are as if they were one: then rounds are kept.
class LockUsers {
 public:
  /// The thread uses the lock. True: nobody else has used it since the thread did. Then nothing has to be written.
  bool used(uptr lock, u32 thread) {
    std::atomic<u32>& user = users_[(lock >> 3) % kPlaces];
    return user.load() == thread + 1 || user.exchange(thread + 1) == thread + 1;
  }

 private:
  static constexpr std::size_t kPlaces = 4096;
  std::atomic<u32> users_[kPlaces] = {};
};

/// Lines that atomics were written in. Lines that share a place are as if they were one.
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
  /// The chunk is another one.
  void forget() { *this = {}; }

  /// The thread reads a line that is shared since that number.
  void sees_shared_line(u64 number) { now_.is_alone &= number <= earlier_.number; }
  /// It writes, or accesses what somebody may have written to without a trace here.
  void sees_other() { now_.is_alone = false; }
  /// False: the round is kept, whatever is seen.
  bool may_repeat() const { return now_.is_alone; }
  /// The thread takes or releases a lock. `is_alone`: nobody else has used it since the thread did.
  void uses_lock(bool is_alone) {
    now_.is_alone &= is_alone;
    was_alone_ = is_alone;
  }

  /// The thread has just recorded a release, and writes to `next` next. True: the round repeats the one before, and is
  /// to be taken back to `begin`, where the thread had the number `number`.
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
    u64* begin = nullptr;   ///< null: there is none
    u64 number = 0;         ///< of the thread, and of its last record, when it began
    bool is_alone = false;  ///< nobody else has used its lock, or written to what it reads, as far as is known here
  };

  /// Has [now_.begin, next) the same records as the earlier round? Only those that a round may have.
  bool repeats(const u64* next) const;

  Round earlier_;  ///< what was taken back stood behind it
  Round now_;
  bool was_alone_ = false;  ///< at the latest use of a lock
};

}  // namespace omen::rt
