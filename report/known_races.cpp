#include "report/known_races.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace omen::report {
namespace {

/// libstdc++'s `std::ctype<char>` keeps a table of converted characters, and a byte that says whether it is filled.
/// Every thread that uses `std::regex` fills it, all with the same values and one byte at a time.
constexpr std::array<std::string_view, 4> kCachesOfCtype{"std::ctype<char>::narrow(", "std::ctype<char>::widen(",
                                                         "std::ctype<char>::_M_narrow_init(",
                                                         "std::ctype<char>::_M_widen_init("};

bool is_in_cache(const Access& access) {
  return !access.stack.empty() && std::ranges::any_of(kCachesOfCtype, [&](std::string_view name) {
    return access.stack.front().function.starts_with(name);
  });
}

}  // namespace

bool is_known_race(const Race& race) {
  return std::ranges::any_of(race.accesses, is_in_cache) &&
         std::ranges::all_of(race.accesses,
                             [](const Access& access) { return access.stack.empty() || is_in_cache(access); });
}

}  // namespace omen::report
