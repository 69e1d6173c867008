/// \file
/// Witnesses of the exhaustive search, damaged at random: the checker accepts exactly what the definition accepts.
#include <gtest/gtest.h>

#include <cstdio>

#include "checker/checker.hpp"
#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen::checker {
namespace {

using Witness = std::vector<std::uint32_t>;

constexpr std::uint64_t kFirstSeed = 31'000'000;

/// Swapped, dropped, duplicated, foreign, moved, cut and extended; most damage is small, so that it is hard to see.
void damage(Witness& witness, std::size_t events, judges::Random& random) {
  const auto any = [&] { return random.below(witness.size()); };
  const auto at = [&](std::size_t i) { return witness.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto any_event = [&] { return static_cast<std::uint32_t>(random.below(events + (random.percent(3) ? 2 : 0))); };
  if (witness.empty()) return witness.push_back(any_event());
  switch (random.below(8)) {
    case 0: {
      const std::size_t i = any();
      return std::swap(witness[i], witness[any()]);
    }
    case 1: {
      const std::size_t i = any();
      return std::swap(witness[i], witness[std::min(i + 1, witness.size() - 1)]);
    }
    case 2:
      witness.erase(at(any()));
      return;
    case 3: {
      const std::uint32_t again = witness[any()];
      witness.insert(at(any()), again);
      return;
    }
    case 4:
      witness[any()] = any_event();
      return;
    case 5:
      witness.insert(at(any()), any_event());
      return;
    case 6: {
      const std::size_t from = any();
      const std::uint32_t moved = witness[from];
      witness.erase(at(from));
      witness.insert(at(random.below(witness.size() + 1)), moved);
      return;
    }
    default:
      witness.erase(at(any()), witness.end());
      return;
  }
}

/// Half of the mutations also drop a whole thread's tail: those are often still correct.
void drop_tail(Witness& witness, const Trace& trace, judges::Random& random) {
  const ThreadId thread = trace.events[witness[random.below(witness.size())]].thread;
  std::size_t left = random.below(3) + 1;
  for (std::size_t i = witness.size() - 2; i-- > 0 && left > 0;) {
    if (trace.events[witness[i]].thread != thread) continue;
    witness.erase(witness.begin() + static_cast<std::ptrdiff_t>(i));
    --left;
  }
}

TEST(CheckerMutations, AcceptedExactlyIfTheDefinitionAccepts) {
  const std::size_t wanted = judges::trace_count(50'000);
  std::size_t tried = 0;
  std::size_t accepted = 0;
  for (std::uint64_t seed = kFirstSeed; tried < wanted; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    const Trace trace = judges::generate(shape, seed, {.max_events = 18});
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, 20'000);
    const auto pairs = search.pairs();
    if (pairs.empty()) continue;
    const Checker checker(trace);
    judges::Random random(seed);
    for (std::size_t n = 0; n < 12; ++n, ++tried) {
      const auto original = search.witness(pairs[random.below(pairs.size())]);
      Witness witness(original->begin(), original->end());
      ASSERT_TRUE(checker.accepts(witness)) << judges::to_std(trace) << checker.accepts(witness).error().reason;
      if (random.percent(40)) drop_tail(witness, trace, random);
      for (std::size_t times = random.below(3); times > 0; --times) damage(witness, trace.size(), random);
      std::string why;
      const bool expected = judges::accepts_witness(trace, std::vector<std::size_t>(witness.begin(), witness.end()),
                                                    judges::Notion::Lw, &why);
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
  // Both sides are really tried.
  EXPECT_GT(accepted, tried / 10);
  EXPECT_LT(accepted, tried * 9 / 10);
}

}  // namespace
}  // namespace omen::checker
