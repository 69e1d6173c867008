/// \file
/// Randomly mutated witnesses of the exhaustive search: the checker accepts exactly what the definition accepts.
#include <gtest/gtest.h>

#include <cstdio>

#include "checker/checker.hpp"
#include "test/checker/witness_damage.hpp"
#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/judges/updates.hpp"

namespace omen::checker {
namespace {

constexpr std::uint64_t kFirstSeed = 31'000'000;

void expect_agreement(judges::Notion notion, std::size_t wanted) {
  const Model model = notion == judges::Notion::Data ? Model::Data : Model::Lw;
  std::size_t tried = 0;
  std::size_t accepted = 0;
  for (std::uint64_t seed = kFirstSeed; tried < wanted; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    // Under LW, updates are ordinary accesses.
    const Trace trace = judges::with_updates(judges::generate(shape, seed, {.max_events = 16}), seed);
    const judges::ReorderingSearch search(trace, notion, 20'000);
    const auto pairs = search.pairs();
    if (pairs.empty()) continue;
    const Checker checker(trace, model);
    judges::Random random(seed);
    for (std::size_t n = 0; n < 12; ++n, ++tried) {
      const auto original = search.witness(pairs[random.below(pairs.size())]);
      Witness witness(original->begin(), original->end());
      ASSERT_TRUE(checker.accepts(witness)) << judges::to_std(trace) << checker.accepts(witness).error().reason;
      if (random.percent(40)) drop_tail(witness, trace, random);
      for (std::size_t times = random.below(3); times > 0; --times) damage(witness, trace.size(), random);
      std::string why;
      const bool expected =
          judges::accepts_witness(trace, std::vector<std::size_t>(witness.begin(), witness.end()), notion, &why);
      const auto result = checker.accepts(witness);
      ASSERT_EQ(result.has_value(), expected)
          << "seed " << seed << '\n'
          << judges::to_std(trace) << testing::PrintToString(witness)
          << "\nchecker: " << (result ? "accepted" : result.error().reason) << "\ndefinition: " << why;
      accepted += expected ? 1 : 0;
    }
  }
  std::printf("%zu mutated witnesses, %zu of them correct (seeds from %llu)\n", tried, accepted,
              static_cast<unsigned long long>(kFirstSeed));
  // Both outcomes occur often enough.
  EXPECT_GT(accepted, tried / 10);
  EXPECT_LT(accepted, tried * 9 / 10);
}

TEST(CheckerMutations, AcceptedExactlyIfTheDefinitionAccepts) {
  expect_agreement(judges::Notion::Lw, judges::trace_count(50'000));
}
TEST(CheckerMutations, UnderDataAcceptedExactlyIfTheDefinitionAccepts) {
  expect_agreement(judges::Notion::Data, judges::trace_count(50'000));
}

}  // namespace
}  // namespace omen::checker
