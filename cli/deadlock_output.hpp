/// \file
/// What `omen vindicate` says of predicted deadlocks: as text, with witnesses as columns, and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/verdict_output.hpp"
#include "vindicate/deadlocks.hpp"

namespace omen::cli {

/// To standard output. Nothing if there is no cycle.
void print(const vindicate::Confirmer& confirmer, const vindicate::Deadlocks& deadlocks, const TextOptions& options);

/// The value of the member "deadlocks" of `vindicate --json`.
std::string deadlocks_json(const vindicate::Confirmer& confirmer, const vindicate::Deadlocks& deadlocks);

/// The first race of a relation that need not have first races: the group whose pair has the earliest later access; its
/// verdict is that there is none. Nothing if that group is a race, or not decided.
std::optional<std::size_t> excluded_first_race(const std::vector<vindicate::CandidateGroup>& groups,
                                               const std::vector<Result>& results);
/// The number in `deadlocks` of the deadlock that the excluded first WCP race stands for (docs/vindication.md). It is
/// added if it is not there. Nothing if none is found.
std::optional<std::size_t> deadlock_behind(const vindicate::Confirmer& confirmer, vindicate::Pair pair,
                                           vindicate::Deadlocks& deadlocks);

}  // namespace omen::cli
