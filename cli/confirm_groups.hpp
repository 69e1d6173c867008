/// \file
/// Confirms groups of candidates in parallel, with progress.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/verdict_output.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

/// One result per group, in their order.
std::vector<Result> confirm_all(const vindicate::Confirmer& confirmer,
                                const std::vector<vindicate::CandidateGroup>& groups,
                                const vindicate::GroupBudget& budget, std::uint64_t jobs);

}  // namespace omen::cli
