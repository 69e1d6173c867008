#include "relax/candidates.hpp"

#include <algorithm>

namespace omen::relax {

CandidateKey key_of(const Execution& execution, ItemPair pair, const CandidateSettings& settings) {
  const auto part = [&](std::uint32_t item) {
    const Item& i = execution.items[item];
    const bool by_event = settings.every || (settings.has_nowhere && i.location == settings.nowhere);
    const auto location = static_cast<std::uint64_t>(static_cast<std::uint32_t>(i.location));
    return by_event ? (std::uint64_t{1} << 32) + i.event : location;
  };
  const std::uint64_t one = part(pair.first);
  const std::uint64_t other = part(pair.second);
  return {std::min(one, other), std::max(one, other)};
}

std::map<CandidateKey, CandidatePairs> candidates(const Execution& execution, const CandidateSettings& settings,
                                                  std::size_t most) {
  std::map<CandidateKey, CandidatePairs> found;
  std::vector<std::vector<std::uint32_t>> earlier(execution.writers.size());  // accesses, of each cell
  for (std::uint32_t j = 0; j < execution.items.size(); ++j) {
    const Item& item = execution.items[j];
    if (!is_access(item.op)) continue;
    for (const std::uint32_t i : earlier[item.cell]) {
      if (!execution.conflict(i, j)) continue;
      CandidatePairs& group = found[key_of(execution, {i, j}, settings)];
      if (group.pairs.size() < most) group.pairs.emplace_back(i, j);
      ++group.count;
    }
    earlier[item.cell].push_back(j);
  }
  return found;
}

}  // namespace omen::relax
