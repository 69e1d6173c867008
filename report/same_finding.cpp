#include "report/same_finding.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace omen::report {
namespace {

using Position = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;

/// The positions of both accesses in a canonical order, with the build ids of their modules.
struct Positions {
  std::pair<Position, Position> places;
  std::pair<std::string_view, std::string_view> builds;
};

Positions positions_of(const Race& race) {
  const auto of = [](const Access& access) -> std::pair<Position, std::string_view> {
    const Frame* const frame = Race::place(access.stack);
    if (frame == nullptr) return {};
    return {{frame->file, frame->line, frame->column}, frame->build_id};
  };
  auto [first, first_build] = of(race.accesses[0]);
  auto [second, second_build] = of(race.accesses[1]);
  if (second < first) {
    std::swap(first, second);
    std::swap(first_build, second_build);
  }
  return {{first, second}, {first_build, second_build}};
}

}  // namespace

bool is_same(const Race& a, const Race& b) {
  if (a.fingerprint != b.fingerprint) return false;
  const Positions mine = positions_of(a);
  const Positions other = positions_of(b);
  const bool one_build = mine.builds == other.builds && !mine.builds.first.empty() && !mine.builds.second.empty();
  return !one_build || mine.places == other.places;
}

bool is_same(const Deadlock& a, const Deadlock& b) {
  return a.fingerprint == b.fingerprint;
}

}  // namespace omen::report
