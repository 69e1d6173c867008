/// \file
/// The memory of the analyses is bounded by variables, locks and threads: old sections and log entries are dropped, and
/// a dropped entry is never needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/levels/rule_b.hpp"
#include "analysis/levels/section_collector.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"

namespace omen {
namespace {

constexpr ThreadId kT0{0};
constexpr ThreadId kT1{1};
constexpr LockId kM{0};
constexpr LockId kN{1};

TEST(SectionTable, KeepsWhatAnEpochNamesAndDropsTheRest) {
  SectionTable table(Tuning{.first_collection = 0});
  table.ensure_thread(kT0);
  Time now = 1;
  for (int i = 0; i < 1000; ++i) {
    table.open(kT0, kM, SectionMode::Exclusive, now++);
    table.close(kT0, kM, now++, VectorClock{}, /*learned=*/true);
  }
  EXPECT_EQ(table.live_sections(), 1000U);
  const Epoch remembered{100, kT0};  // inside the 50th section, which lasted from 99 to 100
  const SectionNumber list = table.at(remembered);
  ASSERT_NE(list, kNoSection);
  const auto epochs = [&](auto visit) { visit(remembered); };
  const auto no_sections = [](auto) {};
  const auto no_clocks = [](auto) {};
  SectionCollector(table).collect<false>(1, epochs, no_sections, no_clocks);
  EXPECT_EQ(table.live_sections(), 1U);
  EXPECT_EQ(table.at(remembered), list);
  EXPECT_EQ(table.section(kT0, list).released, 100U);
  SectionCollector(table).collect<false>(0, [](auto) {}, no_sections, no_clocks);
  EXPECT_EQ(table.live_sections(), 0U);
  EXPECT_EQ(table.at(remembered), kNoSection);
}

TEST(SectionTable, KeepsTheHorizonsOfClocksForRuleB) {
  SectionTable table(Tuning{.first_collection = 0});
  table.ensure_thread(kT0);
  // T0 is in m from 1 to 4, and inside it in n; it publishes 3 when it leaves n.
  VectorClock inner;
  inner.set(kT0, 3);
  VectorClock outer;
  outer.set(kT0, 4);
  table.open(kT0, kM, SectionMode::Exclusive, 1);
  table.open(kT0, kN, SectionMode::Exclusive, 2);
  table.close(kT0, kN, 3, inner, /*learned=*/true);
  table.close(kT0, kM, 4, outer, /*learned=*/true);
  const auto nothing = [](auto) {};
  // A thread that knows T0 up to 3 knows that m was acquired, and must still find its release. It knows n's.
  SectionCollector(table).collect<true>(0, nothing, nothing, [&](auto visit) { visit(inner); });
  EXPECT_EQ(table.live_sections(), 1U);
  const SectionTable::Horizon horizon = table.horizon(kT0, 3);
  ASSERT_NE(horizon.list, kNoSection);
  EXPECT_EQ(table.section(kT0, horizon.list).lock, kM);
  EXPECT_EQ(table.release_clock(kT0, table.section(kT0, horizon.list))[kT0], 4U);
  SectionCollector(table).collect<true>(0, nothing, nothing, [&](auto visit) { visit(outer); });
  EXPECT_EQ(table.live_sections(), 0U);
}

TEST(SectionTable, KeepsOpenSectionsThatRecentEntriesRepeat) {
  constexpr LockId kO{2};
  constexpr LockId kP{3};
  SectionTable table(Tuning{.first_collection = 8});  // three sections and six moments are recent
  table.ensure_thread(kT0);
  table.open(kT0, kM, SectionMode::Exclusive, 1);
  table.open(kT0, kN, SectionMode::Exclusive, 2);
  table.open(kT0, kO, SectionMode::Exclusive, 3);
  const SectionNumber innermost = table.current(kT0);
  table.close(kT0, kM, 4, VectorClock{}, /*learned=*/true);  // n and o get new entries, without m around them
  table.open(kT0, kP, SectionMode::Exclusive, 20);           // other events have advanced the time in between
  const auto nothing = [](auto) {};
  SectionCollector(table).collect<false>(0, nothing, nothing, nothing);
  table.close(kT0, kP, 21, VectorClock{}, /*learned=*/true);
  table.close(kT0, kO, 22, VectorClock{}, /*learned=*/true);
  EXPECT_EQ(table.section(kT0, innermost).released, 22U);
  table.close(kT0, kN, 23, VectorClock{}, /*learned=*/true);
  EXPECT_EQ(table.current(kT0), kNoSection);
}

TEST(SectionTable, QuietTimesReachBackToTheOutermostAcquire) {
  SectionTable table(Tuning{});
  table.ensure_thread(kT0);
  table.open(kT0, kM, SectionMode::Exclusive, 5);
  table.open(kT0, kN, SectionMode::Exclusive, 6);
  table.close(kT0, kN, 7, VectorClock{}, /*learned=*/true);
  table.close(kT0, kM, 8, VectorClock{}, /*learned=*/true);
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

  // A thread that knows that acquire still gets that release.
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

/// Random sections, nested up to three deep, and accesses in them.
class LongTrace {
 public:
  Event next() {
    const std::uint32_t t = below(kThreads);
    auto& held = held_[t];
    Event event;
    event.thread = ThreadId{t};
    const std::uint32_t choice = below(100);
    if (choice < 12 && held.size() < 3 && acquire(held)) {
      event.op = Op::Acquire;
      event.operand = held.back();
    } else if (choice < 30 && !held.empty()) {
      event.op = Op::Release;
      event.operand = held.back();
      taken_[held.back()] = false;
      held.pop_back();
    } else {
      // Variables belong to locks: most accesses are ordered by rule (a), and there are few races.
      event.op = below(3) == 0 ? Op::Write : Op::Read;
      event.operand =
          held.empty() ? kLocks * 8 + t : held[below(static_cast<std::uint32_t>(held.size()))] * 8 + below(8);
    }
    return event;
  }

 private:
  static constexpr std::uint32_t kThreads = 8;
  static constexpr std::uint32_t kLocks = 50;

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool acquire(std::vector<std::uint32_t>& held) {
    const std::uint32_t m = below(kLocks);
    if (taken_[m]) return false;
    taken_[m] = true;
    held.push_back(m);
    return true;
  }

  std::mt19937_64 random_{1};
  std::array<std::vector<std::uint32_t>, kThreads> held_;
  std::array<bool, kLocks> taken_{};
};

class NoRaces final : public RaceSink {
 public:
  void race(const RacyAccess& /*access*/, std::span<const PriorAccess> /*priors*/) override {}
};

template <class Relation>
class LongRun : public testing::Test {};
using RelationsWithSections = testing::Types<Wcp, Dc, Wdc>;
TYPED_TEST_SUITE(LongRun, RelationsWithSections);

/// The largest number of kept sections does not depend on the length of the trace.
TYPED_TEST(LongRun, KeepsNoMoreSectionsThanAtFirst) {
  constexpr std::size_t kEvents = 1'000'000;
  NoRaces sink;
  Analysis<TypeParam, SmartTrack> analysis(sink, Tuning{.first_collection = 4096});
  LongTrace trace;
  std::array<std::size_t, 10> most{};  // in each tenth of the trace
  for (std::size_t i = 0; i < kEvents; ++i) {
    analysis.handle(trace.next(), EventIndex{i});
    std::size_t& here = most[i * most.size() / kEvents];
    here = std::max(here, analysis.level().live_sections());
  }
  std::printf("most sections kept, by tenths of the trace: first %zu, second %zu, last %zu\n", most[0], most[1],
              most[9]);
  EXPECT_LT(*std::ranges::max_element(most), 2 * most[0]);
}

/// In WCP a read may leave sections of its own thread as ancillary metadata. They are dropped once the thread knows
/// them, without a write.
TEST(Ancillary, DoesNotGrowFromReadToRead) {
  NoRaces sink;
  Analysis<Wcp, SmartTrack> analysis(sink);
  std::uint64_t next = 0;
  const auto event = [&](ThreadId t, Op op, std::uint32_t operand) {
    Event made;
    made.thread = t;
    made.op = op;
    made.operand = operand;
    analysis.handle(made, EventIndex{next++});
  };
  const auto section = [&](ThreadId t, std::uint32_t lock, Op op, std::uint32_t variable) {
    event(t, Op::Acquire, lock);
    event(t, op, variable);
    event(t, Op::Release, lock);
  };
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    section(kT0, 0, Op::Read, 0);
    section(kT0, 1, Op::Read, 0);  // replaces the previous read, whose section is not known yet
    section(kT0, 2, Op::Write, 1);
    section(kT1, 2, Op::Write, 1);  // knows T0's sections …
    section(kT0, 2, Op::Write, 1);  // … and brings that knowledge back
    most = std::max(most, analysis.level().ancillary_sections());
  }
  EXPECT_GE(most, 1U);
  EXPECT_LE(most, 4U);
}

}  // namespace
}  // namespace omen
