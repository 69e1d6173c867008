/// \file
/// Ends a pass over the records of a run before its end: when somebody asks for what is known so far.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace omen::recording {

class Stop {
 public:
  Stop() = default;
  explicit Stop(std::function<bool()> asked) : asked_(std::move(asked)) {}

  /// Asked for each record. True once: the passes that follow are short, and are made to their ends.
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
