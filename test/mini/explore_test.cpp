/// \file
/// The explorer with reduction against the one without, on random programs; and programs with obvious findings.
#include "mini/explore.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>

#include "mini/checker.hpp"
#include "test/mini/random_program.hpp"

namespace omen::mini {
namespace {

template <class Map>
auto keys(const Map& map) {
  std::set<typename Map::key_type> result;
  for (const auto& [key, value] : map) result.insert(key);
  return result;
}

/// The example's schedule leads to a state where both accesses of the race are next.
void expect_shows(const Code& code, const RaceSites& sites, const Example& example, const std::string& source) {
  Machine machine(code);
  for (const ThreadNumber t : example.schedule) {
    ASSERT_TRUE(t < machine.threads() && machine.enabled(t)) << source;
    machine.step(t);
  }
  bool shown = false;
  for (ThreadNumber t = 0; t < machine.threads(); ++t) {
    for (ThreadNumber u = t + 1; u < machine.threads(); ++u) {
      const Next& a = machine.next(t);
      const Next& b = machine.next(u);
      shown |= is_access(a.action) && is_access(b.action) && a.cell == b.cell && sites_of(a, b) == sites;
    }
  }
  EXPECT_TRUE(shown) << source;
}

void compare(std::size_t count, const ProgramLimits& limits) {
  std::size_t compared = 0;
  std::size_t racy = 0;
  std::size_t deadlocking = 0;
  std::size_t faulty = 0;
  std::uint64_t states = 0;
  std::uint64_t executions = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string source = random_program(seed, limits);
    auto program = load(source, "p.mini");
    ASSERT_TRUE(program.has_value()) << program.error().text() << "\n" << source;
    const Code code = compile(*program);
    const Exploration all = explore_states(code, {.states = 20'000});
    if (!all.exhaustive) continue;
    const Exploration reduced = explore_traces(code, {.steps = 2'000'000});
    if (!reduced.exhaustive) continue;
    ++compared;
    ASSERT_EQ(keys(all.races), keys(reduced.races)) << "seed " << seed << "\n" << source;
    ASSERT_EQ(keys(all.faults), keys(reduced.faults)) << "seed " << seed << "\n" << source;
    ASSERT_EQ(keys(all.deadlocks), keys(reduced.deadlocks)) << "seed " << seed << "\n" << source;
    ASSERT_EQ(all.finals, reduced.finals) << "seed " << seed << "\n" << source;
    // The first happens-before race of an execution is a race of the program.
    ASSERT_EQ(reduced.races.empty(), reduced.hb_races.empty()) << "seed " << seed << "\n" << source;
    for (const auto& [sites, example] : all.races) expect_shows(code, sites, example, source);
    for (const auto& [sites, example] : reduced.races) expect_shows(code, sites, example, source);
    racy += all.races.empty() ? 0U : 1U;
    deadlocking += all.deadlocks.empty() ? 0U : 1U;
    faulty += all.faults.empty() ? 0U : 1U;
    states += all.states;
    executions += reduced.executions;
  }
  std::printf(
      "%zu of %zu programs compared: %zu racy, %zu deadlock, %zu faulty; %llu states, %llu executions "
      "(seeds 1 to %zu)\n",
      compared, count, racy, deadlocking, faulty, static_cast<unsigned long long>(states),
      static_cast<unsigned long long>(executions), count);
  EXPECT_GT(compared, count * 9 / 10);
}

struct Findings {
  std::size_t races, faults, deadlocks, results;
  bool operator==(const Findings&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Findings& f) {
  return out << f.races << " races, " << f.faults << " faults, " << f.deadlocks << " deadlocks, " << f.results
             << " results";
}

/// What both explorers find.
Findings findings(const std::string& source) {
  const auto program = load(source, "p.mini");
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().text());
  const Code code = compile(*program);
  const Exploration all = explore_states(code);
  const Exploration reduced = explore_traces(code);
  EXPECT_TRUE(all.exhaustive && reduced.exhaustive);
  EXPECT_EQ(keys(all.races), keys(reduced.races));
  EXPECT_EQ(keys(all.faults), keys(reduced.faults));
  EXPECT_EQ(keys(all.deadlocks), keys(reduced.deadlocks));
  EXPECT_EQ(all.finals, reduced.finals);
  return {all.races.size(), all.faults.size(), all.deadlocks.size(), all.finals.size()};
}

TEST(Explore, ThreadsOfOneNumber) {
  // Either of two spawns may come second, and then faults.
  EXPECT_EQ(findings("shared i32 x;\nvoid g() { x = 1; }\nvoid f() { spawn g() as 2; }\n"
                     "void main() { spawn f() as 1; spawn g() as 2; }"),
            (Findings{0, 2, 0, 0}));
}

TEST(Explore, Waiting) {
  // Waiting for a thread that is never spawned; for one that another thread spawns; twice for one; for oneself.
  EXPECT_EQ(findings("void main() { wait 1; }"), (Findings{0, 0, 1, 0}));
  EXPECT_EQ(findings("shared i32 x;\nvoid g() { x = 1; }\nvoid f() { spawn g() as 2; }\n"
                     "void main() { spawn f() as 1; wait 2; x = 2; }"),
            (Findings{0, 0, 0, 1}));
  EXPECT_EQ(findings("shared i32 x;\nvoid g() { x = 1; }\nvoid f() { wait 2; x = 3; }\n"
                     "void main() { spawn f() as 1; spawn g() as 2; wait 2; x = 2; }"),
            (Findings{1, 0, 0, 2}));
  EXPECT_EQ(findings("void f() { wait 1; }\nvoid main() { spawn f() as 1; }"), (Findings{0, 0, 1, 0}));
}

TEST(Explore, LocksThatAreNotGivenBack) {
  EXPECT_EQ(findings("shared i32 x;\nlock m;\nvoid f() { lock m; x = 1; }\n"
                     "void main() { spawn f() as 1; lock m; x = 2; }"),
            (Findings{0, 0, 2, 0}));
  EXPECT_EQ(findings("lock m;\nvoid main() { lock m; lock m; }"), (Findings{0, 0, 1, 0}));
}

TEST(Explore, ALimitIsSaid) {
  const auto program = load("shared i32 x;\nvoid main() { while (x == x) { x += 1; } }", "p.mini");
  ASSERT_TRUE(program.has_value());
  const Code code = compile(*program);
  const Exploration states = explore_states(code, {.states = 100});
  EXPECT_FALSE(states.exhaustive);
  EXPECT_EQ(states.limit, "states");
  const Exploration traces = explore_traces(code, {.depth = 100});
  EXPECT_FALSE(traces.exhaustive);
  EXPECT_EQ(traces.limit, "depth");
  EXPECT_EQ(explore_traces(code, {.steps = 10}).limit, "steps");
  EXPECT_EQ(explore_traces(code, {.bytes = 1000}).limit, "memory");
  EXPECT_EQ(explore_states(code, {.bytes = 1000}).limit, "memory");
}

TEST(Explore, ReductionFindsTheSameInSmallPrograms) {
  compare(program_count(4000), {.threads = 3, .statements = 3, .depth = 2});
}

TEST(Explore, ReductionFindsTheSameWithObjectsAndFaults) {
  compare(program_count(2000), {.threads = 3, .statements = 3, .depth = 2, .objects = true, .faults = true});
}

}  // namespace
}  // namespace omen::mini
