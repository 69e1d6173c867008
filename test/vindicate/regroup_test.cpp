/// \file
/// Regrouped witnesses: the checker accepts each, the pair stays last, CA is kept, and on random traces there are far
/// fewer switches.
#include "vindicate/regroup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 47'000'000;

using Witness = std::vector<std::uint32_t>;

TEST(Regroup, AThreadGoesOnUntilItNeedsAnother) {
  const Trace trace = judges::trace_of(
      "main|fork(A)\nA|w(a)\nmain|fork(B)\nB|w(b)\nA|w(a)\nB|w(b)\nC|w(c)\nA|acq(m)\nA|rel(m)\nB|acq(m)\nB|rel(m)\n"
      "A|w(x)\nB|w(x)\n");
  const Witness witness{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Witness result = regrouped(trace, witness);
  // C does not matter. B's section comes after A's, as in the witness.
  EXPECT_EQ(result, (Witness{0, 2, 3, 5, 1, 4, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(switches(trace, witness), 10U);
  EXPECT_EQ(switches(trace, result), 5U);
  EXPECT_TRUE(checker::accepts(trace, result));
}

TEST(Regroup, AWakeUpStaysBehindWhatMayHaveCausedIt) {
  const Trace trace = judges::trace_of("A|acq(m)\nA|wait(m)\nB|w(b)\nC|w(c)\nA|wake(m)\nA|rel(m)\nA|w(x)\nB|w(x)\n");
  const Witness witness{0, 1, 2, 3, 4, 5, 6, 7};
  const Witness result = regrouped(trace, witness);
  EXPECT_LT(std::ranges::find(result, 3U), std::ranges::find(result, 4U));
  EXPECT_LT(std::ranges::find(result, 2U), std::ranges::find(result, 4U));
  EXPECT_EQ(result.size(), 8U);
}

TEST(Regroup, ThePairAloneStays) {
  const Trace trace = judges::trace_of("A|w(x)\nB|w(x)\n");
  EXPECT_EQ(regrouped(trace, Witness{0, 1}), (Witness{0, 1}));
  EXPECT_EQ(regrouped(trace, Witness{1, 0}), (Witness{1, 0}));
}

bool accepts(const Trace& trace, const Witness& witness, judges::Notion notion) {
  return judges::accepts_witness(trace, std::vector<std::size_t>(witness.begin(), witness.end()), notion);
}

TEST(Regroup, CheckerAndJudgeAcceptWhatWasRegrouped) {
  const std::uint64_t traces = judges::trace_count(24'000) / 20;
  std::size_t witnesses = 0;
  std::size_t under_ca = 0;
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 40});
    const Confirmer confirmer(trace, {}, Budget::of(Budget::kDefault));
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::size_t asked = 0;
    for (EventNo f = 0; f < trace.size(); ++f) {
      for (EventNo e = 0; e < f && asked < 20; ++e) {
        if (!confirmer.index().conflict(e, f)) continue;
        ++asked;
        const Verdict verdict = confirmer.confirm({e, f});
        if (verdict.outcome != Outcome::Race) continue;
        const Witness witness = confirmer.witness(verdict);
        const Witness result = regrouped(trace, witness);
        ASSERT_TRUE(checker::accepts(trace, result)) << "pair " << e << "," << f << '\n' << judges::to_std(trace);
        ASSERT_TRUE(accepts(trace, result, judges::Notion::Lw)) << "pair " << e << "," << f;
        if (verdict.under_ca) {
          ASSERT_TRUE(accepts(trace, result, judges::Notion::Ca)) << "pair " << e << "," << f;
          ++under_ca;
        }
        ASSERT_TRUE(std::equal(witness.end() - 2, witness.end(), result.end() - 2));
        ++witnesses;
        before += switches(trace, witness);
        after += switches(trace, result);
        ASSERT_LE(result.size(), witness.size());
      }
    }
  }
  std::printf("regrouped: %zu witnesses of %llu traces (seeds from %llu), %zu keep CA; %zu switches become %zu\n",
              witnesses, static_cast<unsigned long long>(traces), static_cast<unsigned long long>(kFirstSeed), under_ca,
              before, after);
  EXPECT_GT(under_ca, traces / 4);
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace omen::vindicate
