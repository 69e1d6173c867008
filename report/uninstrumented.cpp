#include "report/uninstrumented.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "symbolize/instrumented.hpp"

namespace omen::report {

std::size_t remove_uninstrumented(RunReport& report) {
  std::map<std::string, bool> known;
  const auto instrumented = [&](const std::string& module) {
    const auto [at, fresh] = known.try_emplace(module, true);
    if (fresh && !module.empty()) at->second = symbolize::is_instrumented(module);
    return at->second;
  };
  return std::erase_if(report.races, [&](const Race& race) {
    return std::ranges::any_of(race.accesses, [&](const Access& access) {
      return !access.stack.empty() && !instrumented(access.stack.front().module);
    });
  });
}

}  // namespace omen::report
