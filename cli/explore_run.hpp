/// \file
/// One run of a program under a schedule that a seed decides: what the runtime is told (OMEN_EXPLORE), the races that
/// the detector in it found, and how it ended (docs/formats.md, "The log of an explored run").
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
  std::uint64_t timeout = 60;        ///< seconds that a run may take
  std::uint64_t points = 2'000'000;  ///< after so many scheduling points it goes on freely
  bool shows_output = false;
};

struct ExploredRun {
  bool controlled = false;   ///< a process of the program took control
  bool released = false;     ///< it gave it up before the end
  std::uint64_t points = 0;  ///< scheduling points
  std::uint64_t steps = 0;   ///< of the first process: points at which several threads could go, PCT's steps
  std::uint64_t threads = 0;
  std::string schedule;      ///< a digest of the order of the points
  std::string why;           ///< what it ended with: "exit", "deadlock", …
  report::RunReport report;  ///< races and failures
};

/// `steps` is PCT's k.
std::expected<ExploredRun, InputError> explore_once(const ExploreSettings& settings, std::uint64_t seed,
                                                    std::uint64_t steps, report::Suppressions suppressions);

/// Programs that are started from here on have the same addresses in each run.
void fix_addresses();

}  // namespace omen::cli
