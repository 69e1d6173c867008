/// \file
/// The output of `omen vindicate` about predicted deadlocks: text with witnesses as columns, and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/verdict_output.hpp"
#include "vindicate/deadlocks.hpp"

namespace omen::cli {

/// Prints to standard output; nothing if there is no cycle.
void print(const vindicate::Confirmer& confirmer, const vindicate::Deadlocks& deadlocks, const TextOptions& options);

/// The value of the member "deadlocks" of `vindicate --json`.
std::string deadlocks_json(const vindicate::Confirmer& confirmer, const vindicate::Deadlocks& deadlocks);

/// The first race of a relation whose first race need not be one: the index of the group with the earliest later
/// access, if that group is excluded. Nothing if it is a race, or undecided.
std::optional<std::size_t> excluded_first_race(const std::vector<vindicate::CandidateGroup>& groups,
                                               const std::vector<Result>& results);
/// The index in `deadlocks` of the deadlock that explains the excluded first WCP race (docs/vindication.md); adds the
/// deadlock if it is missing. Nothing if there is none.
std::optional<std::size_t> deadlock_behind(const vindicate::Confirmer& confirmer, vindicate::Pair pair,
                                           vindicate::Deadlocks& deadlocks);

}  // namespace omen::cli
