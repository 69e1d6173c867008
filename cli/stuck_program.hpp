/// \file
/// Detects that threads of a program can never continue: all of them sleep in the kernel for a lock, a thread or
/// another event of the same program, without a timeout, and none has run for a second.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace omen::cli {

class StuckWatch {
 public:
  /// `threads` are system ids; empty: all threads of the process.
  explicit StuckWatch(int process, std::vector<int> threads = {}) : process_(process), threads_(std::move(threads)) {}

  /// Call repeatedly, with `kPause` between two calls.
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
