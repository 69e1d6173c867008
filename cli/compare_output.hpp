/// \file
/// What `omen compare` found, as text, as JSON, and as a picture of the distances: the tables and the figure of
/// Vindicator's evaluation for one trace.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vindicate/group_verdict.hpp"
#include "vindicate/race_classes.hpp"

namespace omen::cli {

/// What VindicateRace did with the dynamic races of one class that it was asked about.
struct GraphCounts {
  std::uint64_t asked = 0;
  std::uint64_t races = 0;
  std::map<std::size_t, std::uint64_t> constraints;  ///< lock-semantics edges that were added, and how often
  std::map<std::size_t, std::uint64_t> iterations;
};

struct Comparison {
  std::string path;
  std::uint64_t events = 0;
  std::uint64_t threads = 0;
  vindicate::RaceClasses classes;                 ///< with those of LW that are confirmed
  std::vector<vindicate::GroupVerdict> verdicts;  ///< one for each static race
  std::array<GraphCounts, vindicate::kRaceClasses> graph;
  std::function<std::string(vindicate::EventNo)> place;     ///< "bank.cpp:26:9"
  std::function<std::string(vindicate::EventNo)> variable;  ///< "total"
};

std::string as_text(const Comparison& comparison, std::uint64_t most);
nlohmann::ordered_json as_json(const Comparison& comparison);
/// For each class, the share of its dynamic races whose accesses are at least so many events apart.
std::string as_svg(const Comparison& comparison);

}  // namespace omen::cli
