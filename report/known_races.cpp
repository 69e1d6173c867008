#include "report/known_races.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace omen::report {
namespace {

/// libstdc++'s `std::ctype<char>` caches converted characters in a table, with a byte that says whether it is filled.
/// All threads that use `std::regex` fill it with the same values, one byte at a time.
constexpr std::array<std::string_view, 4> kCachesOfCtype{"std::ctype<char>::narrow(", "std::ctype<char>::widen(",
                                                         "std::ctype<char>::_M_narrow_init(",
                                                         "std::ctype<char>::_M_widen_init("};

/// libstdc++ 12's `std::atomic<std::shared_ptr>` guards its pointer by a spin lock that `load` releases with a relaxed
/// store: by the C++ memory model the read of the pointer races with the next change. On x86 no read moves behind a
/// later store.
bool is_in_atomic_pointer(const Access& access) {
  const auto is_member = [](const Frame& frame) { return frame.function.starts_with("std::_Sp_atomic<"); };
  if (access.stack.empty()) return false;
  if (is_member(access.stack.front())) return true;
  return access.stack.size() > 1 && access.stack.front().function.contains("std::swap<") && is_member(access.stack[1]);
}

bool is_in_cache(const Access& access) {
  return !access.stack.empty() && std::ranges::any_of(kCachesOfCtype, [&](std::string_view name) {
    return access.stack.front().function.starts_with(name);
  });
}

/// Both accesses are in such a function. An access without a stack counts as in one if the other access is.
bool all_are(const Race& race, bool (*is_in_place)(const Access&)) {
  return std::ranges::any_of(race.accesses, is_in_place) &&
         std::ranges::all_of(race.accesses,
                             [&](const Access& access) { return access.stack.empty() || is_in_place(access); });
}

}  // namespace

bool is_known_race(const Race& race) {
  return all_are(race, is_in_cache) || all_are(race, is_in_atomic_pointer);
}

}  // namespace omen::report
