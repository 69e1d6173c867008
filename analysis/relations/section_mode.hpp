/// \file
/// Critical sections are exclusive or, under a reader/writer lock, shared.
#pragma once

#include <cstdint>

namespace omen {

enum class SectionMode : std::uint8_t { Exclusive = 0, Shared = 1 };

/// Sections of two threads on one lock order each other unless both only share it (docs/event-model.md).
constexpr bool rivals(SectionMode a, SectionMode b) {
  return a == SectionMode::Exclusive || b == SectionMode::Exclusive;
}

}  // namespace omen
