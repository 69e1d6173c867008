/// \file
/// The identifiers of a trace. Each kind is its own type, so that passing a lock where a thread is expected does not
/// compile. Identifiers are dense: the n-th distinct name of a kind has the value n, so state is stored in plain
/// vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omen {

enum class ThreadId : std::uint32_t {};
enum class LockId : std::uint32_t {};
enum class VariableId : std::uint32_t {};
enum class BarrierId : std::uint32_t {};
enum class AtomicId : std::uint32_t {};

/// A source location: either a number from the trace (high bit set, never stored in a table, so that traces in which
/// every event has its own number do not fill memory) or the index of a text in `Names`.
enum class LocationId : std::uint32_t {};

inline constexpr std::uint32_t kNumericLocation = 0x8000'0000U;

/// The 0-based position of an event in its trace.
enum class EventIndex : std::uint64_t {};
inline constexpr EventIndex kNoEvent{~std::uint64_t{0}};

/// The vector subscript of an identifier.
template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace omen
