/// \file
/// The two 8-byte words that a check reads for each variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "analysis/clocks/epoch.hpp"

namespace omen {

/// The thread of an epoch whose time is the number of a vector in `SharedReads`.
inline constexpr ThreadId kShared{std::numeric_limits<std::uint32_t>::max()};

struct AccessWords {
  Epoch write;
  Epoch read;  ///< or {number, kShared}

  /// The last write, or the last access of any kind. The words are adjacent, so the choice is an offset and not a
  /// branch.
  Epoch& last(bool write_only) { return (&write)[write_only ? 0 : 1]; }
  bool is_shared() const { return read.thread == kShared; }
};
static_assert(sizeof(AccessWords) == 16 && offsetof(AccessWords, read) == sizeof(Epoch));

}  // namespace omen
