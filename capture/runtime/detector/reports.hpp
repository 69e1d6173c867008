/// \file
/// Races, as they are told: the log of the earlier thread says what the access was and where; the same two places make
/// one report.
#pragma once

#include "capture/runtime/detector/message_log.hpp"
#include "capture/runtime/detector/threads.hpp"

namespace omen::rt::detect {

/// How often two places in the program have raced. There is room for so many pairs; beyond that a message says that
/// races between others are not reported.
class ReportedPairs {
 public:
  static constexpr std::size_t kMost = 4096;
  struct Pair {
    uptr now;
    uptr earlier;
    u64 race;
    u64 count;
  };
  /// Null: there is no room for another.
  Pair* find(uptr now, uptr earlier);
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Pair& pair : pairs_) {
      if (pair.count != 0) visit(pair);
    }
  }

 private:
  Pair pairs_[kMost] = {};
};

class Reports {
 public:
  void start(MessageLog& log, ThreadSlot* slots, const std::atomic<Slot>& slot_count, bool predicts);
  void reset_locks() { lock_.reset(); }
  /// The races that the access at hand has with earlier ones.
  void report(DetectorThread& t);
  /// The last words: how often each race was seen.
  void finish();

 private:
  struct EarlierAccess {
    Place where{};
    uptr address = 0;
    u32 bytes = 0;
    LogKind what = LogKind::Nothing;
    u64 position = 0;
    bool is_atomic_too = false;  ///< there was an atomic access, and the one at hand is atomic
  };
  EarlierAccess find_earlier(const RacingAccess& race, const CurrentAccess& now) const;
  void report(DetectorThread& t, const RacingAccess& race);
  void report_lock(online_log::Side side, const HeldLock& lock);
  void report_locks_of(Slot slot, const EarlierAccess& earlier);
  void report_block(uptr address);
  void tell_program(const DetectorThread& t, const RacingAccess& race, const EarlierAccess& earlier);

  MessageLog* log_ = nullptr;
  ThreadSlot* slots_ = nullptr;
  const std::atomic<Slot>* slot_count_ = nullptr;
  bool predicts_ = false;
  SpinLock lock_;  ///< guards the rest
  ReportedPairs pairs_;
  bool is_full_ = false;
};

}  // namespace omen::rt::detect
