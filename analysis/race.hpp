/// \file
/// The results of an analysis: a racy access, and the earlier accesses that it races with.
#pragma once

#include <cstdint>
#include <span>

#include "trace/event.hpp"

namespace omen {

/// The position of an access in the trace and in the source.
struct Site {
  EventIndex event = kNoEvent;
  LocationId location{};
};

/// An earlier access that is still in the metadata. If an epoch stands for several accesses, the first of them.
struct PriorAccess {
  Site site;
  ThreadId thread{};
  bool wrote = false;
};

struct RacyAccess {
  Site site;
  ThreadId thread{};
  VariableId variable{};
  bool wrote = false;
};

/// "read-write": the earlier access first.
constexpr const char* race_kind(bool earlier_wrote, bool later_wrote) {
  if (!earlier_wrote) return "read-write";
  return later_wrote ? "write-write" : "write-read";
}

/// Receives each race as it is found. The analysis then continues as if the access had been ordered.
class RaceSink {
 public:
  virtual ~RaceSink() = default;
  /// `priors` is not empty, ordered by event.
  virtual void race(const RacyAccess& access, std::span<const PriorAccess> priors) = 0;
};

}  // namespace omen
