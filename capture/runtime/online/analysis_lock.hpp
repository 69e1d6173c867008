/// \file
/// Who may touch the analysis.
///
/// *Alone*: a thread that holds the lock may touch everything. *Among others*, where the analysis allows it: a thread
/// may touch what is its own, and an object whose guard it holds. Who enters among others writes to a line of its own
/// and reads one that hardly ever changes, so that threads that synchronise over different objects do not meet. Who
/// wants to be alone closes the door, and waits until nobody is inside.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

class AnalysisLock {
 public:
  void lock() {
    lock_.lock();
    if (entrances_ == nullptr) return;
    closed_.store(1, std::memory_order_seq_cst);
    for (u32 slot = 0; slot < admitted_; ++slot) {
      for (u32 tries = 0; entrances_[slot].inside.load(std::memory_order_seq_cst) != 0; ++tries) {
        if (tries < kTries) {
          __builtin_ia32_pause();
        } else {
          yield_cpu();
        }
      }
    }
  }
  void unlock() {
    closed_.store(0, std::memory_order_release);
    lock_.unlock();
  }
  /// In a forked child: whoever held it is not there.
  void reset() {
    lock_.reset();
    closed_.store(0, std::memory_order_relaxed);
    entrances_ = nullptr;
    admitted_ = 0;
  }

  /// Before there are threads: they may enter among others. Without memory for it they do not.
  void open(u32 slots) { entrances_ = static_cast<Entrance*>(map_memory(slots * sizeof(Entrance))); }
  /// Alone: the thread in this slot may enter.
  void admit(u32 slot) {
    if (slot >= admitted_) admitted_ = slot + 1;
  }

  /// Among others. False: the thread has to wait until it is alone.
  bool enter(u32 slot) {
    if (entrances_ == nullptr) return false;
    // Either this thread sees that the door is closed, or who closed it sees this thread: both are in one order.
    entrances_[slot].inside.store(1, std::memory_order_seq_cst);
    if (OMEN_LIKELY(closed_.load(std::memory_order_seq_cst) == 0)) return true;
    leave(slot);
    return false;
  }
  void leave(u32 slot) { entrances_[slot].inside.store(0, std::memory_order_release); }

 private:
  static constexpr u32 kTries = 100;
  struct alignas(64) Entrance {
    std::atomic<u32> inside;  ///< written by its thread
  };

  SleepLock lock_;
  Entrance* entrances_ = nullptr;  ///< by slot; null: nobody enters among others
  u32 admitted_ = 0;               ///< slots from 0 on whose threads may be inside; guarded by the lock
  alignas(64) std::atomic<u32> closed_{0};
};
using AnalysisGuard = Guard<AnalysisLock>;

/// A visit among others, if the analysis and the moment allow one.
class Visit {
 public:
  Visit(AnalysisLock& lock, u32 slot) : lock_(lock), slot_(slot), entered_(lock.enter(slot)) {}
  ~Visit() {
    if (entered_) lock_.leave(slot_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  bool entered() const { return entered_; }

 private:
  AnalysisLock& lock_;
  u32 slot_;
  bool entered_;
};

}  // namespace omen::rt::online
