/// \file
/// The results of `omen compare` as text, as JSON, and as a plot of the distances: the tables and the figure of
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

/// The results of VindicateRace for a sample of the dynamic races of one class.
struct GraphCounts {
  std::uint64_t asked = 0;
  std::uint64_t races = 0;
  std::map<std::size_t, std::uint64_t> constraints;  ///< number of lock-semantics edges added → number of races
  std::map<std::size_t, std::uint64_t> iterations;
};

struct Comparison {
  std::string path;
  std::uint64_t events = 0;
  std::uint64_t threads = 0;
  vindicate::RaceClasses classes;                 ///< including confirmed races of class LW
  std::vector<vindicate::GroupVerdict> verdicts;  ///< one per static race
  std::array<GraphCounts, vindicate::kRaceClasses> graph;
  std::function<std::string(vindicate::EventNo)> place;     ///< "bank.cpp:26:9"
  std::function<std::string(vindicate::EventNo)> variable;  ///< "total"
};

std::string as_text(const Comparison& comparison, std::uint64_t most);
nlohmann::ordered_json as_json(const Comparison& comparison);
/// A plot: for each class, the share of its dynamic races with at least each event distance.
std::string as_svg(const Comparison& comparison);

}  // namespace omen::cli
