/// \file
/// A line on standard error that says how far a long read is. Only on a terminal, a few times a second, gone at the
/// end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trace/source.hpp"

namespace omen::cli {

class Progress {
 public:
  /// `what` is said before the numbers: "reading t.omen".
  explicit Progress(std::string what);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Called once per block: `events` so far, and the source's own fraction.
  void update(std::uint64_t events, double fraction) {
    if (enabled_) show(events, fraction);
  }

  /// Any other state, in a few words.
  void show_text(const std::string& state);

  /// Removes the line, for output that must not mix with it.
  void clear();

 private:
  void show(std::uint64_t events, double fraction);

  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace omen::cli
