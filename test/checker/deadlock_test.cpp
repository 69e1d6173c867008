/// \file
/// The checker's rule for deadlocks: randomly mutated witnesses of the prediction are accepted exactly if the
/// definition accepts them; and each clause, violated alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "checker/checker.hpp"
#include "test/checker/witness_damage.hpp"
#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen::checker {
namespace {

constexpr std::uint64_t kFirstSeed = 33'000'000;

std::string refusal(const char* text, const Witness& witness, std::size_t requests = 2) {
  const Trace trace = judges::trace_of(text);
  const auto accepted = Checker(trace).accepts_deadlock(witness, requests);
  if (accepted) return "accepted";
  return "step " + std::to_string(accepted.error().step) + ": " + accepted.error().reason;
}

constexpr const char* kInversion = "A|acq(l)\nA|acq(m)\nA|rel(m)\nA|rel(l)\nB|acq(m)\nB|acq(l)\nB|rel(l)\nB|rel(m)";

TEST(CheckerDeadlocks, AcceptsTheInversion) {
  EXPECT_EQ(refusal(kInversion, {0, 4, 1, 5}), "accepted");
  EXPECT_EQ(refusal(kInversion, {4, 0, 5, 1}), "accepted");
}

TEST(CheckerDeadlocks, EachClauseAlone) {
  EXPECT_EQ(refusal(kInversion, {1}), "step 1: the witness of a deadlock ends with two requests or more");
  EXPECT_EQ(refusal(kInversion, {0, 4, 1, 5}, 1), "step 4: the witness of a deadlock ends with two requests or more");
  EXPECT_EQ(refusal(kInversion, {0, 4, 1, 99}), "step 3: the trace has no event 99");
  EXPECT_EQ(refusal(kInversion, {0, 4, 1, 2}), "step 3: event 2 (A|rel(m)|) is the second request of its thread");
  EXPECT_EQ(refusal(kInversion, {0, 4, 1, 6}), "step 3: event 6 (B|rel(l)|) is not the next of its thread");
  EXPECT_EQ(refusal(kInversion, {0, 1, 4, 5, 2}),
            "step 2: event 4 (B|acq(m)|): expected lock 'm' to be free; thread 'A' holds it");
  EXPECT_EQ(refusal(kInversion, {0, 1, 4}), "step 1: event 1 (A|acq(m)|) does not wait for thread 'B'");
  // A release never waits; nor does a reader wait for readers, nor an attempt at all.
  EXPECT_EQ(refusal(kInversion, {0, 1, 2, 4}), "step 2: event 2 (A|rel(m)|) does not wait for thread 'B'");
  EXPECT_EQ(
      refusal("A|racq(l)\nA|racq(m)\nA|rrel(m)\nA|rrel(l)\nB|racq(m)\nB|acq(l)\nB|rel(l)\nB|rrel(m)", {0, 4, 1, 5}),
      "step 2: event 1 (A|racq(m)|) does not wait for thread 'B'");
  EXPECT_EQ(refusal("A|acq(l)\nA|acq.try(m)\nA|rel(m)\nA|rel(l)\nB|acq(m)\nB|acq(l)\nB|rel(l)\nB|rel(m)", {0, 4, 1, 5}),
            "step 2: event 1 (A|acq.try(m)|) does not wait for thread 'B'");
  // The lock was released.
  EXPECT_EQ(refusal("A|acq(l)\nA|acq(m)\nA|rel(m)\nA|rel(l)\nB|acq(m)\nB|rel(m)\nB|acq(l)\nB|rel(l)", {0, 4, 5, 1, 6}),
            "step 3: event 1 (A|acq(m)|) does not wait for thread 'B'");
}

TEST(CheckerDeadlocks, JoinsBarriersAndForksAreWaitedFor) {
  constexpr const char* kJoin = "A|fork(B)\nB|acq(l)\nB|rel(l)\nA|acq(l)\nA|join(B)\nA|rel(l)";
  EXPECT_EQ(refusal(kJoin, {0, 3, 1, 4}), "accepted");
  EXPECT_EQ(refusal(kJoin, {3, 1, 4}), "step 0: event 3 (A|acq(l)|) is number 1 of its thread, expected number 0");
  EXPECT_EQ(
      refusal("A|acq(l)\nA|rel(l)\nA|arrive(b)\nB|arrive(b)\nB|acq(l)\nB|leave(b)\nB|rel(l)\nA|leave(b)", {3, 4, 5, 0}),
      "accepted");
  EXPECT_EQ(refusal("A|arrive(b)\nB|acq(l)\nB|arrive(b)\nB|leave(b)\nB|rel(l)\nA|leave(b)", {1, 2, 3, 0}),
            "step 3: event 0 (A|arrive(b)|) does not wait for thread 'B'");
}

TEST(CheckerDeadlocks, AcceptedExactlyIfTheDefinitionAccepts) {
  const std::size_t wanted = judges::trace_count(20'000);
  std::size_t tried = 0;
  std::size_t accepted = 0;
  for (std::uint64_t seed = kFirstSeed; tried < wanted; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    Trace trace = judges::generate(shape, seed, {.max_events = 18});
    judges::Random random(seed);
    for (Event& event : trace.events) {
      if ((event.op == Op::Acquire || event.op == Op::AcquireShared) && random.percent(10)) event.order = kAttempt;
    }
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, 20'000);
    if (search.deadlocks().empty()) continue;
    const Checker checker(trace);
    for (std::size_t n = 0; n < 12; ++n, ++tried) {
      const auto& [witness, requests] = search.deadlock_witness(random.below(search.deadlocks().size()));
      Witness damaged(witness.begin(), witness.end());
      ASSERT_TRUE(checker.accepts_deadlock(damaged, requests))
          << "seed " << seed << '\n'
          << judges::to_std(trace) << testing::PrintToString(damaged)
          << checker.accepts_deadlock(damaged, requests).error().reason;
      for (std::size_t times = random.below(3); times > 0; --times) damage(damaged, trace.size(), random);
      std::string why;
      const bool expected =
          judges::accepts_deadlock(trace, std::vector<std::size_t>(damaged.begin(), damaged.end()), requests, &why);
      const auto result = checker.accepts_deadlock(damaged, requests);
      ASSERT_EQ(result.has_value(), expected)
          << "seed " << seed << '\n'
          << judges::to_std(trace) << testing::PrintToString(damaged) << ", " << requests
          << " requests\nchecker: " << (result ? "accepted" : result.error().reason) << "\ndefinition: " << why;
      accepted += expected ? 1 : 0;
    }
  }
  std::printf("%zu mutated witnesses of deadlocks, %zu of them correct (seeds from %llu)\n", tried, accepted,
              static_cast<unsigned long long>(kFirstSeed));
  EXPECT_GT(accepted, tried / 10);
  EXPECT_LT(accepted, tried * 9 / 10);
}

}  // namespace
}  // namespace omen::checker
