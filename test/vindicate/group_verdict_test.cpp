/// \file
/// One verdict for many pairs of the same two locations: as if each pair had been decided alone, or unknown, with the
/// number of decided pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"
#include "vindicate/group_verdict.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 47'000'000;

/// At lines 5 and 17 a pair that WDC leaves unordered and that no reordering brings together: the value of n that T3
/// reads was written after T2's section on m began, and so after that of T1 ended. `i` distinguishes copies.
std::string excluded_pair(std::size_t i) {
  std::string text;
  const std::string n = "_" + std::to_string(i);
  const auto event = [&](const std::string& thread, const std::string& op, const std::string& operand, int line) {
    text += thread;
    text += n + "|" + op + "(" + operand + n + ")|" + std::to_string(line) + "\n";
  };
  const auto section_on_n = [&](const std::string& thread, int line) {
    event(thread, "acq", "n", line);
    event(thread, "r", "v", line + 1);
    event(thread, "w", "v", line + 2);
    event(thread, "rel", "n", line + 3);
  };
  event("T1", "acq", "m", 4);
  event("T1", "w", "x", 5);
  event("T1", "w", "y", 6);
  event("T1", "rel", "m", 7);
  event("T2", "acq", "m", 8);
  section_on_n("T2", 9);
  section_on_n("T3", 13);
  event("T3", "r", "x", 17);
  section_on_n("T2", 18);
  event("T2", "r", "y", 22);
  event("T2", "rel", "m", 23);
  return text;
}

/// The same two locations, and a race; the accesses are further apart than those of the others.
std::string race_at_the_same_places() {
  std::string text = "A|w(z)|5\n";
  for (int i = 0; i < 40; ++i) text += "A|w(a)|91\n";
  return text + "A|acq(k)|92\nA|rel(k)|93\nB|acq(k)|92\nB|rel(k)|93\nB|r(z)|17\n";
}

std::string excluded_pairs(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += excluded_pair(i);
  return text;
}

GroupVerdict verdict_of(const Trace& trace, const GroupBudget& budget) {
  const Confirmer confirmer(trace, {}, Budget::of(Budget::kDefault));
  const auto groups = analysed_candidates(confirmer.index(), *find_analysis("st-wdc"), false);
  EXPECT_EQ(groups.size(), 1U);
  return confirm_groups(confirmer, groups, budget).front();
}

TEST(GroupVerdict, ARaceBehindManyThatAreNone) {
  const Trace trace = judges::trace_of(excluded_pairs(40) + race_at_the_same_places());
  const GroupVerdict all = verdict_of(trace, GroupBudget::of(Budget::kDefault, 1));
  EXPECT_EQ(all.verdict.outcome, Outcome::Race);
  EXPECT_EQ(all.count, 41U);
  EXPECT_EQ(trace.names.of(trace.events[all.verdict.pair.first].variable()), "z");
}

TEST(GroupVerdict, NoRaceOnlyIfAllPairsAreNone) {
  const Trace trace = judges::trace_of(excluded_pairs(40));
  const GroupVerdict all = verdict_of(trace, GroupBudget::of(Budget::kDefault, 1));
  EXPECT_EQ(all.verdict.outcome, Outcome::NoRace);
  EXPECT_EQ(all.decided, 40U);
  EXPECT_EQ(all.count, 40U);
}

TEST(GroupVerdict, OutOfBudgetIsUnknown) {
  const Trace trace = judges::trace_of(excluded_pairs(40) + race_at_the_same_places());
  const GroupVerdict one = verdict_of(trace, {.pairs = 1, .work = 1U << 30});
  EXPECT_EQ(one.verdict.outcome, Outcome::Unknown);
  EXPECT_EQ(one.verdict.ran_out, "pairs");
  EXPECT_EQ(one.decided, 1U);
  EXPECT_EQ(one.count, 41U);
  const GroupVerdict no_work = verdict_of(judges::trace_of(excluded_pairs(40)), {.work = 0});
  EXPECT_EQ(no_work.verdict.outcome, Outcome::Unknown);
  EXPECT_EQ(no_work.decided, GroupBudget::kAsked);
  EXPECT_EQ(no_work.count, 40U);
  // The exhausted budget of one pair is reported for the group, if no other pair is a race.
  const Trace excluded = judges::trace_of(excluded_pairs(3));
  const Confirmer small(excluded, {}, Budget::of(1));
  const auto groups = analysed_candidates(small.index(), *find_analysis("st-wdc"), false);
  const GroupVerdict unknown = confirm_groups(small, groups, GroupBudget::of(1, 1)).front();
  EXPECT_EQ(unknown.verdict.outcome, Outcome::Unknown);
  EXPECT_EQ(unknown.decided, 0U);
  EXPECT_EQ(unknown.verdict.ran_out, "window");
}

/// The naive twin: each pair alone.
TEST(GroupVerdict, AgreesWithEachPairAlone) {
  const std::size_t count = judges::trace_count(3000);
  std::size_t races = 0;
  std::size_t none = 0;
  std::size_t large = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Trace trace = judges::generate(judges::kShapes[i % judges::kShapes.size()], kFirstSeed + i);
    // Few locations, so that groups are large.
    for (std::size_t e = 0; e < trace.size(); ++e) {
      trace.events[e].location = LocationId{kNumericLocation | (is_write(trace.events[e].op) ? 1U : 2U)};
    }
    const Confirmer confirmer(trace, {}, Budget::of(Budget::kDefault));
    const auto groups = all_candidates(confirmer.index(), false);
    const auto verdicts = confirm_groups(confirmer, groups, GroupBudget::of(Budget::kDefault, groups.size()));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto alone = confirmer.confirm(groups[g].pairs);
      const bool race = std::ranges::any_of(alone, [](const Verdict& v) { return v.outcome == Outcome::Race; });
      ASSERT_EQ(verdicts[g].verdict.outcome, race ? Outcome::Race : Outcome::NoRace) << judges::to_std(trace);
      ASSERT_EQ(verdicts[g].count, groups[g].pairs.size());
      ASSERT_TRUE(race || verdicts[g].decided == verdicts[g].count);
      ++(race ? races : none);
      if (groups[g].pairs.size() > GroupBudget::kAsked) ++large;
    }
  }
  std::printf("%zu traces (seeds from %llu): %zu groups with a race, %zu without, %zu of more than %llu pairs\n", count,
              static_cast<unsigned long long>(kFirstSeed), races, none, large,
              static_cast<unsigned long long>(GroupBudget::kAsked));
  EXPECT_GT(races, 0U);
  EXPECT_GT(none, 0U);
  EXPECT_GT(large, count / 100);
}

TEST(PairSample, KeepsPairsFromAllOverTheRun) {
  constexpr EventNo kPairs = 1000;
  PairSample sample(8);
  for (EventNo i = 0; i < kPairs; ++i) sample.add({10 * i, 10 * i + (i == 512 ? 3 : 5)});
  const CandidateGroup group = std::move(sample).take();
  EXPECT_EQ(group.count, kPairs);
  ASSERT_GE(group.pairs.size(), 4U);
  ASSERT_LE(group.pairs.size(), 8U);
  EXPECT_EQ(group.pairs[0], (Pair{0, 5}));
  EXPECT_EQ(group.pairs[1], (Pair{5120, 5123})) << "the closest";
  EXPECT_EQ(std::set(group.pairs.begin(), group.pairs.end()).size(), group.pairs.size());
  EXPECT_GE(std::ranges::max(group.pairs).first, 7000U);
}

TEST(PairSample, AnyNumberOfPairsIsSpread) {
  PairSample sample;
  for (EventNo i = 0; i < 1000; ++i) sample.add({10 * i, 10 * i + 5});
  const CandidateGroup group = std::move(sample).take();
  ASSERT_EQ(group.pairs.size(), 1000U);
  EXPECT_EQ(std::set(group.pairs.begin(), group.pairs.end()).size(), 1000U);
  for (const std::size_t n : {4U, 16U, 64U}) {
    std::vector<EventNo> firsts;
    for (const Pair& pair : std::span(group.pairs).first(n)) firsts.push_back(pair.first);
    std::ranges::sort(firsts);
    for (std::size_t i = 0; i + 1 < n; ++i) EXPECT_LE(firsts[i + 1] - firsts[i], 40'000U / n);
  }
}

}  // namespace
}  // namespace omen::vindicate
