/// \file
/// Random well-formed traces, a pure function of shape, seed and limits. Each shape stresses other rules of the
/// analyses, and each produces traces in which HB, WCP, DC and WDC differ (trace_generator_test counts them).
///
/// A trace is made in two steps. First every thread gets a program: random blocks of the shape, often around a *motif*,
/// a small execution that is known to distinguish two relations, with random perturbation. Then the programs are
/// interleaved by random choices that mostly follow the motif's own order. A step that is not legal in its turn waits
/// (a lock that another thread holds) or is dropped (a release of a lock that is not held).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/trace.hpp"

namespace omen::judges {

enum class Shape {
  Uniform,      ///< accesses, acquires and releases in any order
  Disciplined,  ///< each variable has a lock that guards it, nearly always
  Handoff,      ///< sections that pass order from thread to thread, through several locks
  Nested,       ///< sections up to four deep, not always released in reverse order
  Forky,        ///< forks and joins, also within sections, several joins of one thread
  Rich,         ///< all operations of the event model
  Guarded,      ///< atomics within sections; forks and joins within sections
};
inline constexpr std::array kShapes{Shape::Uniform, Shape::Disciplined, Shape::Handoff, Shape::Nested,
                                    Shape::Forky,   Shape::Rich,        Shape::Guarded};
std::string_view name(Shape shape);

/// Both ends are inclusive.
struct Range {
  std::size_t low;
  std::size_t high;
};

struct Limits {
  std::size_t max_events = 40;
  Range threads{2, 5};
  Range locks{1, 4};
  Range variables{1, 4};
};

/// Well formed, with `nested` set, never more than `limits.max_events` events. A motif may need more threads, locks and
/// variables than `limits` say.
Trace generate(Shape shape, std::uint64_t seed, const Limits& limits = {});

}  // namespace omen::judges
