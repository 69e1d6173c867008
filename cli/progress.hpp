/// \file
/// A progress line on standard error during a long read. Only on a terminal; updated a few times a second, and erased
/// at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trace/source.hpp"

namespace omen::cli {

class Progress {
 public:
  /// `what` precedes the numbers: "reading t.omen".
  explicit Progress(std::string what);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Called once per block: the events so far, and the source's own fraction.
  void update(std::uint64_t events, double fraction) {
    if (enabled_) show(events, fraction);
  }

  /// Shows any other state, in a few words.
  void show_text(const std::string& state);

  /// Erases the line, before other output.
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
