/// \file
/// The cheapest witness: what the cone executes, in the recorded order. Two parts of the cone are tried, what every
/// witness executes and all of it. Each item is executed concretely under the model's rule for reads and guards, in
/// time linear in the part, so most races of long traces need no query. Not finding one says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relax/cone.hpp"
#include "relax/execution.hpp"
#include "relax/model.hpp"

namespace omen::relax {

/// The items that are executed before the pair, in order. `cone` is the pair's, under the policy, and not impossible.
std::optional<std::vector<std::uint32_t>> recorded_order(const Execution& execution, const Cone& cone, ItemPair pair,
                                                         const Policy& policy, bool artificial_branches);

}  // namespace omen::relax
