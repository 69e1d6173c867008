/// \file
/// Which accesses of a program race, by the definitions of docs/event-model.md, computed forwards: for each relation
/// and thread the set of steps that come before the thread's next one. One rule is one function; nothing is forgotten
/// and nothing is shared with analysis/ or the runtime.
///
/// Where docs/online.md says that the detector departs from the event model, so do these definitions:
/// - an access of several bytes meets one line of 64 bytes after the other: rule (a) for all of a line's bytes, then
/// the
///   races of these;
/// - a failed attempt comes after the start of the holder's section, after the ends of the sections that the holder was
///   in then and has left since, and after all that the holder knows of others when the attempt fails; with
///   happens-before alone it orders nothing. An attempt that is made again before the thread does something else is
///   none.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "test/online/traces/program.hpp"

namespace omen::traces {

using Steps = std::bitset<kMostSteps>;

enum class Relation : std::uint8_t {
  Hb,
  Wcp,
  Dc,
  Wdc,
};

/// A byte in one of its lives.
struct LivingByte {
  std::uint16_t offset;
  std::uint16_t life;
  auto operator<=>(const LivingByte&) const = default;
};

struct Race {
  std::size_t earlier;
  std::size_t later;
  LivingByte byte;  ///< the first one of a class of bytes that are always accessed together
};

struct Verdict {
  std::vector<Race> races;                              ///< all of them; sorted by the later step
  std::set<std::pair<std::size_t, std::size_t>> pairs;  ///< their steps, the earlier one first
  std::set<std::size_t> racy;                           ///< the later steps
  /// By step: what happened before it, and what hard order alone orders before it.
  std::vector<Steps> happened_before;
  std::vector<Steps> hard_before;

  bool has_race() const { return !races.empty(); }
  std::size_t first() const { return races.front().later; }
};

/// Which bytes are accessed by the same steps: the first byte of each class, and its number.
std::vector<std::uint16_t> byte_classes(const Program& program);

Verdict define(const Program& program, Relation relation);

}  // namespace omen::traces
