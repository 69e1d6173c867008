/// \file
/// Compares the strategies with the claims of their papers; nothing here runs threads.
#include "capture/runtime/schedule/explore/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace omen::rt::explore {
namespace {

/// Threads that each make `length` operations on an object, one after the other: the order in which they go.
std::string schedule(Strategy& strategy, std::uint32_t threads, std::uint32_t length, bool shared) {
  std::vector<std::uint32_t> left(threads, length);
  const auto arrive = [&](std::uint32_t thread) { strategy.arrive(thread, {PointKind::Rmw, shared ? 1 : thread + 1}); };
  for (std::uint32_t thread = 0; thread < threads; ++thread) strategy.add(thread);
  for (std::uint32_t thread = 0; thread < threads; ++thread) arrive(thread);
  std::string order;
  for (;;) {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      if (left[thread] != 0) ready.push_back(thread);
    }
    if (ready.empty()) return order;
    const std::uint32_t chosen = strategy.choose(ready.data(), static_cast<std::uint32_t>(ready.size()));
    EXPECT_NE(std::ranges::find(ready, chosen), ready.end());
    order += static_cast<char>('a' + chosen);
    if (--left[chosen] != 0) arrive(chosen);
  }
}

std::string schedule(StrategyKind kind, std::uint64_t seed, std::uint32_t depth, std::uint32_t threads,
                     std::uint32_t length, bool shared = true) {
  Strategy strategy;
  strategy.begin(kind, seed, depth, threads * length);
  return schedule(strategy, threads, length, shared);
}

std::size_t switches(const std::string& order) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1U : 0U;
  return count;
}

TEST(Strategy, SameSeedSameSchedule) {
  std::set<std::string> seen;
  for (const StrategyKind kind : {StrategyKind::Pos, StrategyKind::Pct, StrategyKind::Random}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::string first = schedule(kind, seed, 3, 3, 5);
      EXPECT_EQ(first, schedule(kind, seed, 3, 3, 5));
      seen.insert(first);
    }
  }
  EXPECT_GT(seen.size(), 50U);  // and others lead to others
}

TEST(Strategy, PctOfDepthOneNeverPreempts) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string order = schedule(StrategyKind::Pct, seed, 1, 3, 4);
    EXPECT_EQ(switches(order), 2U) << order;
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 6U);  // all orders of three threads
}

/// Each change of a priority preempts at most once, and lets the thread come back at most once.
TEST(Strategy, PctPreemptsAtItsChangePoints) {
  std::size_t most = 0;
  for (std::uint32_t depth = 1; depth <= 5; ++depth) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const std::size_t count = switches(schedule(StrategyKind::Pct, seed, depth, 3, 10));
      EXPECT_LE(count, 2U + 2 * (depth - 1));
      most = std::max(most, count);
    }
  }
  EXPECT_GT(most, 4U);
}

/// The guarantee: 1/(n k^(d-1)). A bug of depth 2: thread `b` goes as a whole between two given operations of `a`.
TEST(Strategy, PctKeepsItsGuarantee) {
  constexpr std::uint64_t kRuns = 4000;
  std::uint64_t hits = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    hits += schedule(StrategyKind::Pct, seed, 2, 2, 5) == "aaabbbbbaa" ? 1U : 0U;
  }
  EXPECT_GE(hits, kRuns / (2 * 10) * 8 / 10);  // n = 2, k = 10; a fifth below for chance
}

/// A step without a choice is none: however many there are in front, the bug is met as often.
TEST(Strategy, PctCountsStepsThatLeaveAChoice) {
  constexpr std::uint64_t kRuns = 4000;
  std::uint64_t hits = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    Strategy strategy;
    strategy.begin(StrategyKind::Pct, seed, 2, 10);
    const std::uint32_t alone[] = {0};
    strategy.add(0);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(strategy.choose(alone, 1), 0U);
    EXPECT_EQ(strategy.steps(), 0U);
    hits += schedule(strategy, 2, 5, true) == "aaabbbbbaa" ? 1U : 0U;
    EXPECT_LE(strategy.steps(), 10U);
    EXPECT_GT(strategy.steps(), 4U);
  }
  EXPECT_GE(hits, kRuns / (2 * 10) * 8 / 10);
}

TEST(Strategy, YieldOfPctGoesLast) {
  Strategy strategy;
  strategy.begin(StrategyKind::Pct, 7, 1, 100);
  for (std::uint32_t thread = 0; thread < 3; ++thread) strategy.add(thread);
  const std::uint32_t ready[] = {0, 1, 2};
  std::set<std::uint32_t> went;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t chosen = strategy.choose(ready, 3);
    went.insert(chosen);
    strategy.yield(chosen);
  }
  EXPECT_EQ(went.size(), 3U);
}

/// Every order of operations on one object is sampled. Partial orders: where the threads share nothing there is one,
/// and where they share all each interleaving is one.
TEST(Strategy, PosSamplesAllOrders) {
  for (const StrategyKind kind : {StrategyKind::Pos, StrategyKind::Random}) {
    std::map<std::string, int> seen;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) ++seen[schedule(kind, seed, 0, 2, 3)];
    EXPECT_EQ(seen.size(), 20U);  // 6 over 3
  }
}

/// Algorithm 1, line by line, with the priorities in a map, against the fast one: the same choices.
TEST(Strategy, PosAgreesWithItsDefinition) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::map<std::uint32_t, std::uint64_t> priority;
    std::map<std::uint32_t, std::uint32_t> left;
    for (std::uint32_t thread = 0; thread < 3; ++thread) random.next();  // of `add`, which PCT uses
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      priority[thread] = random.next();
      left[thread] = 4;
    }
    std::string order;
    while (!priority.empty()) {
      const auto best = std::ranges::max_element(priority, {}, [](const auto& one) { return one.second; })->first;
      order += static_cast<char>('a' + best);
      for (std::uint32_t other = 0; other < 3; ++other) {  // those that race with it; all use one object
        const std::uint64_t fresh = other == best ? 0 : random.next();
        if (other != best && priority.contains(other)) priority[other] = fresh;
      }
      if (--left[best] == 0) {
        priority.erase(best);
      } else {
        priority[best] = random.next();
      }
    }
    EXPECT_EQ(order, schedule(StrategyKind::Pos, seed, 0, 3, 4));
  }
}

}  // namespace
}  // namespace omen::rt::explore
