/// \file
/// One run of a program under a schedule that a seed determines: configures the runtime (OMEN_EXPLORE), collects the
/// races that its detector finds, and how the run ended (docs/formats.md, "The log of an explored run").
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "report/race_report.hpp"
#include "report/suppressions.hpp"
#include "trace/error.hpp"

namespace omen::cli {

struct ExploreSettings {
  std::vector<std::string> command;
  std::string strategy = "pos";  ///< pos, pct, random
  std::string analysis = "st-dc";
  std::uint64_t depth = 3;           ///< PCT's d
  std::uint64_t timeout = 60;        ///< longest duration of a run, in seconds
  std::uint64_t points = 2'000'000;  ///< after this many scheduling points the run continues uncontrolled
  bool shows_output = false;
};

struct ExploredRun {
  bool controlled = false;   ///< some process of the program was controlled
  bool released = false;     ///< some process released control before its end
  std::uint64_t points = 0;  ///< scheduling points
  std::uint64_t steps = 0;  ///< of the first process: points with several threads to choose from, which are PCT's steps
  std::uint64_t threads = 0;
  std::string schedule;      ///< a hash of the order of the points
  std::string why;           ///< how the first process ended: "exit", "deadlock", …
  report::RunReport report;  ///< races and failures
};

/// `steps` is PCT's k.
std::expected<ExploredRun, InputError> explore_once(const ExploreSettings& settings, std::uint64_t seed,
                                                    std::uint64_t steps, report::Suppressions suppressions);

/// Disables address randomisation for programs that are started from here on.
void fix_addresses();

}  // namespace omen::cli
