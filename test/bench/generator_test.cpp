/// \file
/// The benchmark's traces: of the requested length and shares, well formed, and the same for the same seed.
#include "bench/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "trace/well_formed.hpp"

namespace omen::bench {
namespace {

GeneratorOptions small() {
  GeneratorOptions options;
  options.events = 200'000;
  return options;
}

std::vector<Event> all_events(const GeneratorOptions& options) {
  Generator generator(options);
  WellFormedness rules;
  std::vector<Event> events;
  for (auto block = generator.next(); !block.empty(); block = generator.next()) {
    for (Event event : block) {
      const auto well_formed = rules.check(event, generator.names());
      EXPECT_TRUE(well_formed) << well_formed.error();
      events.push_back(event);
    }
  }
  return events;
}

double share(const std::vector<Event>& events, auto holds) {
  return static_cast<double>(std::ranges::count_if(events, holds)) / static_cast<double>(events.size());
}

bool is_sync(const Event& event) {
  return event.op == Op::Acquire || event.op == Op::Release;
}

TEST(Generator, MakesAsManyWellFormedEventsAsAsked) {
  for (const std::uint64_t events : {0U, 1U, 7U, 8U, 16'384U, 50'000U}) {
    GeneratorOptions options;
    options.events = events;
    EXPECT_EQ(all_events(options).size(), events);
  }
}

TEST(Generator, SameSeedSameTrace) {
  GeneratorOptions options = small();
  const auto once = all_events(options);
  EXPECT_EQ(all_events(options), once);
  options.seed = 2;
  EXPECT_NE(all_events(options), once);
}

TEST(Generator, KeepsTheShares) {
  for (const bool uniform : {false, true}) {
    GeneratorOptions options = small();
    options.uniform = uniform;
    const auto events = all_events(options);
    EXPECT_NEAR(share(events, is_sync), 0.20, 0.01);
    std::set<std::uint32_t> variables;
    std::size_t held = 0;
    std::vector<std::size_t> depth(options.threads);
    for (const Event& event : events) {
      if (is_access(event.op)) variables.insert(event.operand);
      if (event.op == Op::Acquire) held = std::max(held, ++depth[index(event.thread)]);
      if (event.op == Op::Release) --depth[index(event.thread)];
    }
    EXPECT_EQ(held, options.nesting);
    EXPECT_GT(variables.size(), options.variables * 9 / 10);
    EXPECT_LE(*variables.rbegin(), options.variables - 1);
  }
}

/// Without wild and read-shared accesses, two threads share a variable only under its lock.
TEST(Generator, DisciplinedAccessesAreDisciplined) {
  GeneratorOptions options = small();
  options.mix = {0.5, 0.5, 0, 0};
  const auto events = all_events(options);
  std::vector<std::set<std::uint32_t>> held(options.threads);
  std::vector<std::set<std::uint32_t>> threads(options.variables);
  std::vector<std::set<std::uint32_t>> guards(options.variables);  // locks held at every access so far
  for (const Event& event : events) {
    auto& mine = held[index(event.thread)];
    if (event.op == Op::Acquire) mine.insert(event.operand);
    if (event.op == Op::Release) mine.erase(event.operand);
    if (!is_access(event.op)) continue;
    auto& common = guards[event.operand];
    if (threads[event.operand].empty()) {
      common = mine;
    } else {
      std::erase_if(common, [&](std::uint32_t lock) { return !mine.contains(lock); });
    }
    threads[event.operand].insert(static_cast<std::uint32_t>(event.thread));
  }
  std::size_t local = 0;
  for (std::size_t x = 0; x < options.variables; ++x) {
    if (threads[x].size() == 1) ++local;
    EXPECT_TRUE(threads[x].size() <= 1 || !guards[x].empty()) << "variable " << x;
  }
  EXPECT_NEAR(static_cast<double>(local) / options.variables, 0.5, 0.05);
}

TEST(Generator, SmallWorldsWork) {
  GeneratorOptions options = small();
  options.threads = 1;
  options.locks = 1;
  options.variables = 3;
  ASSERT_EQ(options.complaint(), "");
  EXPECT_EQ(all_events(options).size(), options.events);
  options.variables = 2;
  EXPECT_NE(options.complaint(), "");
}

}  // namespace
}  // namespace omen::bench
