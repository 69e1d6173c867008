/// \file
/// The kinds of scheduling points: operations before which a scheduler may let another thread run (docs/replay.md). The
/// runtime, the recording and the report use the same names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace omen {

enum class PointKind : std::uint8_t {
  None,         ///< not a scheduling point
  Load,         ///< of an atomic; also a compare-exchange that failed
  Store,        ///< to an atomic
  Rmw,          ///< read-modify-write
  Lock,         ///< for writing
  LockShared,   ///< for reading
  Unlock,       ///< of either mode
  Refused,      ///< an attempt to lock that failed or timed out
  Wait,         ///< a condition wait releases its mutex
  Wake,         ///< and has re-acquired it
  TimedOut,     ///< and has re-acquired it after a timeout
  Arrive,       ///< at a barrier
  Leave,        ///< a barrier
  Release,      ///< a post, a write to a pipe, sending a signal
  Acquire,      ///< what a release makes visible
  Take,         ///< a token of a semaphore, data of a pipe
  TakeRefused,  ///< there was no token or data
  Both,         ///< a release and an acquire
  Fork,         ///< a thread is created
  Join,
  Begin,  ///< of a thread
  End,
};
inline constexpr std::array<std::string_view, 22> kPointNames{
    "none",   "load",  "store",   "rmw",     "lock", "lock-shared",  "unlock", "refused", "wait", "wake",  "timed-out",
    "arrive", "leave", "release", "acquire", "take", "take-refused", "both",   "fork",    "join", "begin", "end"};

constexpr std::string_view name(PointKind kind) {
  return kPointNames[static_cast<std::size_t>(kind)];
}
constexpr std::optional<PointKind> point_kind(std::string_view name) {
  for (std::size_t i = 0; i < kPointNames.size(); ++i) {
    if (kPointNames[i] == name) return static_cast<PointKind>(i);
  }
  return std::nullopt;
}

}  // namespace omen
