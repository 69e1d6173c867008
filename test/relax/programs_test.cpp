/// \file
/// Random small programs, all models, and the truth. One run of each program is recorded; each model predicts from it,
/// independently of the others. Then:
/// - every race that any model reports is a race of the program: the explorer of all schedules has it too;
/// - each model finds what the models before it find;
/// - `ca` and `lw` find exactly what the exhaustive search over reorderings of the recorded trace finds.
/// The prediction itself checks that every reported race re-executes; otherwise it ends the process.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "mini/explore.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/mini/random_program.hpp"
#include "test/relax/ladder.hpp"
#include "trace/well_formed.hpp"

namespace omen::relax {
namespace {

struct Totals {
  std::mutex mutex;  ///< guards all below
  std::size_t programs = 0;
  std::size_t explored = 0;
  std::size_t searched = 0;
  std::size_t true_races = 0;
  std::size_t unknown = 0;
  std::array<std::size_t, kRungs.size()> found{};     ///< in explored programs
  std::array<std::size_t, kRungs.size()> complete{};  ///< explored programs in which all true races were found
};

/// Pairs of events of the value trace that the exhaustive search predicts.
std::set<std::pair<std::uint32_t, std::uint32_t>> searched(const values::ValueTrace& trace, judges::Notion notion,
                                                           bool& complete) {
  values::Projection projection = values::project(trace);
  WellFormedness rules;
  for (Event& e : projection.trace.events) EXPECT_TRUE(rules.check(e, projection.trace.names));
  const judges::ReorderingSearch search(projection.trace, notion, 20'000);
  complete = search.complete();
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [i, j] : search.pairs()) pairs.emplace(projection.event[i], projection.event[j]);
  return pairs;
}

void judge(std::uint64_t seed, const mini::ProgramLimits& limits, SolverContext& context, Totals& totals) {
  const std::string source = mini::random_program(seed, limits);
  auto program = RecordedProgram::run(source, "p.mini", seed);
  ASSERT_TRUE(program) << "seed " << seed << ": " << program.error() << "\n" << source;
  const std::size_t events = program->trace().size();
  LocationPairs truth;
  const bool explored = program->explore(truth, 30'000);

  std::array<LocationPairs, kRungs.size()> found;
  std::size_t unknown = 0;
  bool all_searched = true;
  for (std::size_t r = 0; r < kRungs.size(); ++r) {
    Settings settings;
    settings.model = kRungs[r].model;
    settings.limits.artificial_branches = kRungs[r].artificial;
    settings.context = &context;
    const auto verdicts = predict(program->subject(), settings);
    found[r] = program->races(verdicts);
    for (const Verdict& v : verdicts) unknown += v.answer == Answer::OutOfBudget ? 1U : 0U;
    for (const auto& race : found[r]) {
      ASSERT_TRUE(!explored || truth.contains(race)) << "FALSE RACE " << race.first << " " << race.second << " under "
                                                     << kRungs[r].name << ", seed " << seed << "\n"
                                                     << source;
    }
    if (r > 0) {
      for (const auto& race : found[r - 1]) {
        ASSERT_TRUE(found[r].contains(race))
            << race.first << " " << race.second << " is lost under " << kRungs[r].name << ", seed " << seed << "\n"
            << source;
      }
    }
    if (policy(kRungs[r].model).reads != ReadRule::Writer) continue;
    settings.every = true;
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Verdict& v : predict(program->subject(), settings)) {
      if (v.answer == Answer::Race) pairs.emplace(std::min(v.first, v.second), std::max(v.first, v.second));
    }
    const auto notion = kRungs[r].model == Model::Ca ? judges::Notion::Ca : judges::Notion::Lw;
    bool complete = false;
    const auto expected = searched(program->trace(), notion, complete);
    all_searched &= complete;
    if (complete) {
      ASSERT_EQ(pairs, expected) << kRungs[r].name << ", seed " << seed << "\n" << source;
    }
  }
  EXPECT_EQ(program->trace().size(), events);

  const std::lock_guard lock(totals.mutex);
  ++totals.programs;
  totals.unknown += unknown;
  totals.searched += all_searched ? 1U : 0U;
  if (!explored) return;
  ++totals.explored;
  totals.true_races += truth.size();
  for (std::size_t r = 0; r < kRungs.size(); ++r) {
    totals.found[r] += found[r].size();
    totals.complete[r] += found[r] == truth ? 1U : 0U;
  }
}

void run(std::uint64_t first, std::size_t count, const mini::ProgramLimits& limits) {
  Totals totals;
  constexpr std::size_t kTogether = 50;  // programs that share a Z3 context
  tbb::parallel_for(std::size_t{0}, (count + kTogether - 1) / kTogether, [&](std::size_t part) {
    SolverContext context;
    for (std::size_t i = part * kTogether; i < std::min(count, (part + 1) * kTogether); ++i) {
      if (::testing::Test::HasFatalFailure()) return;
      judge(first + i, limits, context, totals);
    }
  });
  std::printf(
      "%zu programs, %zu explored, %zu searched, %zu candidates out of budget: no false race (seeds %llu to %llu)\n",
      totals.programs, totals.explored, totals.searched, totals.unknown, static_cast<unsigned long long>(first),
      static_cast<unsigned long long>(first + count - 1));
  for (std::size_t r = 0; r < kRungs.size(); ++r) {
    std::printf(
        "  %-30s %6zu of %zu true races (%.1f %%); all of them in %zu programs\n", kRungs[r].name, totals.found[r],
        totals.true_races,
        100.0 * static_cast<double>(totals.found[r]) / static_cast<double>(std::max<std::size_t>(1, totals.true_races)),
        totals.complete[r]);
  }
  EXPECT_EQ(totals.programs, count);
  EXPECT_GT(totals.explored, count * 9 / 10);
}

TEST(Programs, NoFalseRaceAndALadder) {
  run(1, mini::program_count(4000), {.threads = 3, .statements = 3});
}

TEST(Programs, NoFalseRaceWithFaultsAndObjects) {
  run(100'001, mini::program_count(4000) / 4, {.threads = 3, .statements = 3, .objects = true, .faults = true});
}

/// The programs with stated races, under several schedules each.
TEST(Programs, OfTheFolder) {
  const auto programs = programs_in(std::string(OMEN_TEST_DATA) + "/mini/programs");
  ASSERT_FALSE(programs.empty());
  SolverContext context;
  std::array<std::size_t, kRungs.size()> found{};
  std::size_t true_races = 0;
  for (const auto& [name, source] : programs) {
    LocationPairs truth;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto program = RecordedProgram::run(source, name, seed);
      ASSERT_TRUE(program) << name << ": " << program.error();
      if (seed == 1) {
        ASSERT_TRUE(program->explore(truth, 500'000)) << name;
      }
      true_races += truth.size();
      LocationPairs before;
      for (std::size_t r = 0; r < kRungs.size(); ++r) {
        Settings settings;
        settings.model = kRungs[r].model;
        settings.limits.artificial_branches = kRungs[r].artificial;
        settings.context = &context;
        const LocationPairs races = program->races(predict(program->subject(), settings));
        EXPECT_TRUE(std::ranges::includes(truth, races)) << name << ", seed " << seed << ", " << kRungs[r].name;
        EXPECT_TRUE(std::ranges::includes(races, before)) << name << ", seed " << seed << ", " << kRungs[r].name;
        before = races;
        found[r] += races.size();
      }
    }
  }
  std::printf("%zu programs, 5 runs each (seeds 1 to 5), %zu true races over all runs:", programs.size(), true_races);
  for (std::size_t r = 0; r < kRungs.size(); ++r) std::printf(" %s %zu", kRungs[r].name, found[r]);
  std::printf("\n");
}

/// Windows that truncate a program's trace: they find fewer races, and still no false one.
TEST(Programs, NoFalseRaceInWindows) {
  SolverContext context;
  std::size_t whole = 0;
  std::size_t in_windows = 0;
  for (std::uint64_t seed = 200'000; seed < 200'150; ++seed) {
    const std::string source = mini::random_program(seed, {.threads = 3, .statements = 4});
    auto program = RecordedProgram::run(source, "p.mini", seed);
    ASSERT_TRUE(program) << program.error();
    LocationPairs truth;
    if (!program->explore(truth, 30'000)) continue;
    for (const Model model : {Model::Value, Model::Control, Model::Relax, Model::Paths}) {
      Settings settings;
      settings.model = model;
      settings.context = &context;
      whole += program->races(predict(program->subject(), settings)).size();
      settings.window = settings.whole = 12;
      const LocationPairs races = program->races(predict(program->subject(), settings));
      in_windows += races.size();
      ASSERT_TRUE(std::ranges::includes(truth, races)) << name(model) << ", seed " << seed << "\n" << source;
    }
  }
  std::printf("windows of 12 events: %zu races, %zu in whole traces, none false (seeds 200000 to 200149)\n", in_windows,
              whole);
  EXPECT_GT(in_windows, whole / 2);
}

}  // namespace
}  // namespace omen::relax
