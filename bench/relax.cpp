/// \file
/// omen-bench-relax: what each model finds in the programs of a folder, and how long it takes. It runs each program
/// under a number of schedules; each model predicts from each run separately. The table has the mean number of races
/// found per run, and the number of true races of the program, from exploring all its schedules. docs/relaxation.md has
/// such a table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "test/relax/ladder.hpp"

namespace omen::relax {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int run(const std::string& folder, std::uint64_t runs) {
  SolverContext context;
  fmt::print("| program | events |");
  for (const Rung& rung : kRungs) fmt::print(" {} |", rung.name);
  fmt::print(" true |\n| --- | ---: |");
  for (std::size_t r = 0; r <= kRungs.size(); ++r) fmt::print(" ---: |");
  fmt::print("\n");
  std::array<std::size_t, kRungs.size()> total{};
  std::array<double, kRungs.size()> seconds{};
  std::size_t total_true = 0;
  std::size_t total_events = 0;
  std::size_t unknown = 0;
  double exploring = 0;
  bool false_race = false;
  const auto mean = [&](std::size_t sum) { return static_cast<double>(sum) / static_cast<double>(runs); };
  for (const auto& [name, source] : programs_in(folder)) {
    std::array<std::size_t, kRungs.size()> found{};
    LocationPairs truth;
    bool explored = false;
    std::size_t events = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      auto program = RecordedProgram::run(source, name, seed);
      if (!program) {
        fmt::print(stderr, "{}: {}\n", name, program.error());
        return 1;
      }
      if (seed == 1) {
        const double start = now();
        explored = program->explore(truth, 2'000'000);
        exploring += now() - start;
      }
      events += program->trace().size();
      for (std::size_t r = 0; r < kRungs.size(); ++r) {
        Settings settings;
        settings.model = kRungs[r].model;
        settings.limits.artificial_branches = kRungs[r].artificial;
        settings.context = &context;
        const double start = now();
        const auto verdicts = predict(program->subject(), settings);
        seconds[r] += now() - start;
        for (const Verdict& v : verdicts) unknown += v.answer == Answer::OutOfBudget ? 1U : 0U;
        const LocationPairs races = program->races(verdicts);
        found[r] += races.size();
        false_race |= explored && !std::ranges::includes(truth, races);
      }
    }
    fmt::print("| {} | {:.0f} |", name, mean(events));
    for (std::size_t r = 0; r < kRungs.size(); ++r) {
      fmt::print(" {:.1f} |", mean(found[r]));
      total[r] += found[r];
    }
    fmt::print(" {}{} |\n", truth.size(), explored ? "" : "+");
    total_true += truth.size();
    total_events += events;
  }
  fmt::print("| all | {:.0f} |", mean(total_events));
  for (const std::size_t sum : total) fmt::print(" {:.1f} |", mean(sum));
  fmt::print(" {} |\n| seconds | |", total_true);
  for (const double spent : seconds) fmt::print(" {:.2f} |", spent);
  fmt::print(" {:.2f} |\n", exploring);
  fmt::print("\nmean over {0} recorded runs (seeds 1 to {0}); seconds are for all of them, in one thread\n", runs);
  fmt::print("{} answers out of budget; {}\n", unknown, false_race ? "A FALSE RACE WAS REPORTED" : "no false race");
  return false_race ? 1 : 0;
}

}  // namespace
}  // namespace omen::relax

int main(int argc, char** argv) {
  CLI::App app("Races found per model in the programs of a folder, and the time it takes");
  std::string folder;
  std::uint64_t runs = 20;
  app.add_option("FOLDER", folder, "with programs (*.mini)")->required()->check(CLI::ExistingDirectory);
  app.add_option("--runs", runs, "recorded runs of each program")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return omen::relax::run(folder, runs);
}
