/// \file
/// The order of points that a replayed run follows. A *step* is a point of one thread, at a code location. The steps
/// have one total order, and each thread has its own steps in that order.
///
/// A point is *due* if it is its thread's next step and the next of all. Recordings leave repetitions out: a loop that
/// loads an atomic until it changes is one load for each value, a loop that polls under a lock one section for each
/// state. So a point that is not the thread's next step, at the location of one of the thread's latest steps, is a
/// repetition, and passes freely. Any other point that is not the thread's next step has left the order.
///
/// A racing thread's last step may be a *departure*, a step without a kind: from there on the thread leaves the
/// recorded path, and its points are not steps. The departure ends when the thread reaches its access.
///
/// Nothing here waits: see scheduler.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/point_kind.hpp"

namespace omen::rt::schedule {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoPlace = 0;

struct Step {
  std::uint32_t turn;   ///< the position among all steps
  std::uint32_t place;  ///< `kNoPlace`: it has no code location
  PointKind kind;
};

/// The steps of one thread, in their order. Only the thread itself advances.
struct Route {
  const Step* steps = nullptr;
  std::uint32_t count = 0;
  std::uint32_t at = 0;

  bool is_over() const { return at == count; }
  const Step& next() const { return steps[at]; }
  bool departs() const { return !is_over() && next().kind == PointKind::None; }
};

enum class Match : std::uint8_t {
  Next,     ///< the thread's next step
  Repeats,  ///< a repetition that the recording may have left out
  Other,    ///< a divergence
  Over,     ///< the thread has no further step
};

/// The scheduler distinguishes waits that timed out from others, because it ends both.
constexpr bool is_same_kind(PointKind a, PointKind b) {
  const auto plain = [](PointKind kind) { return kind == PointKind::TimedOut ? PointKind::Wake : kind; };
  return plain(a) == plain(b);
}

/// A recording can leave the point out: it changes nothing by itself, or its effect is undone.
constexpr bool may_repeat(PointKind kind) {
  switch (kind) {
    case PointKind::Load:
    case PointKind::Lock:
    case PointKind::LockShared:
    case PointKind::Unlock:
    case PointKind::Refused:
    case PointKind::TakeRefused:
      return true;
    default:
      return false;
  }
}

/// `kind` is None where the thread does not know yet which operation will follow.
inline Match match(const Route& route, PointKind kind, std::uint32_t place) {
  constexpr std::uint32_t kLatest = 64;
  if (!route.is_over()) {
    const Step& step = route.next();
    if (step.place == place && (kind == PointKind::None || is_same_kind(kind, step.kind))) return Match::Next;
  }
  if (kind == PointKind::None || may_repeat(kind)) {
    const std::uint32_t from = route.at > kLatest ? route.at - kLatest : 0;
    for (std::uint32_t i = route.at; i-- > from;) {
      if (route.steps[i].place == place && place != kNoPlace) return Match::Repeats;
    }
    // An attempt that fails where the order has one that succeeds: it is repeated.
    if (!route.is_over() && route.next().place == place && place != kNoPlace) return Match::Repeats;
  }
  return route.is_over() ? Match::Over : Match::Other;
}

}  // namespace omen::rt::schedule
