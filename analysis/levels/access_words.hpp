/// \file
/// What a check looks at, for each variable: two words of eight bytes.
#pragma once

#include <cstdint>
#include <limits>

#include "analysis/clocks/epoch.hpp"

namespace omen {

/// The thread of an epoch whose time is the number of a vector in `SharedReads`.
inline constexpr ThreadId kShared{std::numeric_limits<std::uint32_t>::max()};

struct AccessWords {
  Epoch write;
  Epoch read;  ///< or {number, kShared}

  bool is_shared() const { return read.thread == kShared; }
};
static_assert(sizeof(AccessWords) == 16);

}  // namespace omen
