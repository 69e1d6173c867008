/// \file
/// Counts what several threads have done. With a race: `last` is written after the lock is gone.
#pragma once

#include <mutex>

class Counter {
 public:
  void add(int amount) {
    {
      const std::lock_guard guard(mutex_);
      total_ += amount;
    }
    last = amount;
  }

  int total() {
    const std::lock_guard guard(mutex_);
    return total_;
  }

  int last = 0;  ///< the latest amount

 private:
  std::mutex mutex_;
  int total_ = 0;
};
