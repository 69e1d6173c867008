/// \file
/// What the analyses keep is bounded by variables, locks and threads: old sections and log entries are dropped, and
/// what is dropped is never missed.
#include <gtest/gtest.h>

#include "analysis/levels/rule_b.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"

namespace omen {
namespace {

constexpr ThreadId kT0{0};
constexpr ThreadId kT1{1};
constexpr LockId kM{0};
constexpr LockId kN{1};

TEST(SectionTable, KeepsWhatAnEpochNamesAndDropsTheRest) {
  SectionTable table(Tuning{.first_collection = 0});
  Time now = 1;
  for (int i = 0; i < 1000; ++i) {
    table.open(kT0, kM, SectionMode::Exclusive, now++);
    table.close(kT0, kM, now++, VectorClock{});
  }
  EXPECT_EQ(table.live_sections(), 1000U);
  const Epoch remembered{100, kT0};  // inside the 50th section, which lasted from 99 to 100
  const SectionNumber list = table.at(remembered);
  ASSERT_NE(list, kNoSection);
  const auto epochs = [&](auto visit) { visit(remembered); };
  const auto no_sections = [](auto) {};
  const auto no_clocks = [](auto) {};
  table.collect<false>(1, epochs, no_sections, no_clocks);
  EXPECT_EQ(table.live_sections(), 1U);
  EXPECT_EQ(table.at(remembered), list);
  EXPECT_EQ(table.section(kT0, list).released, 100U);
  table.collect<false>(0, [](auto) {}, no_sections, no_clocks);
  EXPECT_EQ(table.live_sections(), 0U);
  EXPECT_EQ(table.at(remembered), kNoSection);
}

TEST(SectionTable, QuietTimesReachBackToTheOutermostAcquire) {
  SectionTable table(Tuning{});
  table.open(kT0, kM, SectionMode::Exclusive, 5);
  table.open(kT0, kN, SectionMode::Exclusive, 6);
  table.close(kT0, kN, 7, VectorClock{});
  table.close(kT0, kM, 8, VectorClock{});
  EXPECT_EQ(table.horizon(kT0, 4).quiet, 4U);
  EXPECT_EQ(table.horizon(kT0, 4).list, kNoSection);
  EXPECT_EQ(table.horizon(kT0, 5).quiet, 5U);  // m has begun
  EXPECT_EQ(table.horizon(kT0, 7).quiet, 5U);  // knows n's release, not m's
  EXPECT_EQ(table.section(kT0, table.horizon(kT0, 7).list).lock, kM);
  EXPECT_EQ(table.horizon(kT0, 8).quiet, 8U);  // knows m's release
  EXPECT_EQ(table.horizon(kT0, 8).list, kNoSection);
}

TEST(RuleB, DropsSectionsThatNoClockIsInside) {
  const Tuning tuning{.first_collection = 1000};
  RuleB logs(tuning);
  VectorClock clock;
  clock.set(kT0, 1);
  const auto section = [&](LockId m) {
    logs.acquired(kT0, m, clock[kT0]);
    clock.tick(kT0);
    logs.released(kT0, m, SectionMode::Exclusive, clock[kT0], clock);
    clock.tick(kT0);
  };
  for (int i = 0; i < 2000; ++i) section(kM);
  EXPECT_TRUE(logs.wants_collection());
  VectorClock inside;
  inside.set(kT0, 201);  // within the section from 201 to 202
  logs.collect({&clock, &inside});
  EXPECT_EQ(logs.entries(), 1U);
  EXPECT_FALSE(logs.wants_collection());

  // Somebody who knows that acquire still gets that release.
  VectorClock known = inside;
  logs.acquired(kT1, kM, 1);
  std::size_t found = 0;
  logs.before_release(kT1, kM, SectionMode::Exclusive, known, false, [&](const VectorClock& earlier) {
    ++found;
    known.join(earlier);
  });
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(known[kT0], 202U);
}

}  // namespace
}  // namespace omen
