/// \file
/// Ends a pass over the records of a run early, when the user requests the results so far.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace omen::recording {

class Stop {
 public:
  Stop() = default;
  explicit Stop(std::function<bool()> asked) : asked_(std::move(asked)) {}

  /// Called for each record. True once: the following passes are short, and run to their ends.
  bool is_now() {
    if (--until_look_ != 0) [[likely]]
      return false;
    until_look_ = kLook;
    if (!asked_ || !asked_()) return false;
    asked_ = nullptr;
    return true;
  }

 private:
  static constexpr std::uint32_t kLook = 1U << 14;
  std::uint32_t until_look_ = kLook;
  std::function<bool()> asked_;
};

}  // namespace omen::recording
