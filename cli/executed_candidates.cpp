#include "cli/executed_candidates.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/end_signals.hpp"
#include "cli/replay_run.hpp"

namespace omen::cli {
namespace {

constexpr std::uint32_t kRuns = 3;  // of each race
constexpr std::size_t kMost = 20;   // races; each may take as long as the program, plus the patience of a replay

/// Runs the program for the race. Returns why it did not reach the accesses; empty: it did.
std::string tried(report::Race& race, const std::vector<std::string>& command, bool may_run, std::size_t number) {
  if (!may_run) return "the program was not run again (--no-replay)";
  if (!race.replay) return "no schedule can lead the program to it: " + race.no_replay;
  if (number >= kMost) return "the program was run again for others, and not for this one";
  race.replays = count_replays(ReplayGoal(race), command, kRuns);
  if (race.replays->reached != 0) return {};
  return "none of " + std::to_string(kRuns) + " runs led by its schedule came to it; the last " +
         race.replays->diverged;
}

}  // namespace

void execute_candidates(report::RunReport& report, const std::vector<std::string>& command, bool may_run) {
  std::vector<report::Race> races;
  std::size_t number = 0;
  for (report::Race& race : report.races) {
    if (!report::rests_on_values(race)) {
      races.push_back(std::move(race));
      continue;
    }
    std::string why = tried(race, command, may_run && !stop_requested(), number++);
    race.confirmed = why.empty();
    if (race.confirmed) {
      races.push_back(std::move(race));
      continue;
    }
    race.why = std::move(why);
    ++report.unknown;
    report.unconfirmed.push_back(std::move(race));
  }
  report.races = std::move(races);
}

}  // namespace omen::cli
