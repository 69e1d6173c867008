/// \file
/// Sees that threads of a program can never go on: all of them sleep in the kernel for a lock, a thread or another
/// event of the same program, without a time limit, and none has run for a second.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace omen::cli {

class StuckWatch {
 public:
  /// `threads` are ids of the system; none: all threads of the process.
  explicit StuckWatch(int process, std::vector<int> threads = {}) : process_(process), threads_(std::move(threads)) {}

  /// To be called again and again, with `kPause` between two calls.
  bool is_stuck();
  static constexpr int kPauseMilliseconds = 50;

 private:
  static constexpr int kLooks = 20;

  std::string look() const;

  int process_;
  std::vector<int> threads_;
  std::string last_;
  int same_ = 0;
};

}  // namespace omen::cli
