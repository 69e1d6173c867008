/// \file
/// On traces without values, `ca` and `lw` find exactly the pairs that the exhaustive searches over reorderings find,
/// with every operation of the event model.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>

#include "relax/predict.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen::relax {
namespace {

std::set<judges::Pair> races(const Trace& trace, Model model, std::uint32_t window, SolverContext& context) {
  Subject subject{.plain = &trace};
  Settings settings;
  settings.model = model;
  settings.every = true;
  settings.window = settings.whole = window;
  settings.context = &context;
  std::set<judges::Pair> found;
  for (const Verdict& v : predict(subject, settings)) {
    EXPECT_NE(v.answer, Answer::OutOfBudget);
    if (v.answer == Answer::Race) found.emplace(std::min(v.first, v.second), std::max(v.first, v.second));
  }
  return found;
}

TEST(Plain, AgreesWithTheExhaustiveSearch) {
  const std::size_t count = judges::trace_count(1500);
  SolverContext context;
  std::size_t asked = 0;
  std::array<std::size_t, 2> total{};
  for (std::uint64_t seed = 0; asked < count; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    const Trace trace = judges::generate(shape, seed, {.max_events = 22});
    ++asked;
    for (const Model model : {Model::Ca, Model::Lw}) {
      const auto notion = model == Model::Ca ? judges::Notion::Ca : judges::Notion::Lw;
      const judges::ReorderingSearch search(trace, notion, 200'000);
      if (!search.complete()) continue;
      const auto pairs = search.pairs();
      const std::set<judges::Pair> expected(pairs.begin(), pairs.end());
      total[model == Model::Ca ? 0 : 1] += expected.size();
      ASSERT_EQ(races(trace, model, 1000, context), expected)
          << name(model) << ", shape " << judges::name(shape) << ", seed " << seed << "\n"
          << judges::to_std(trace);
    }
  }
  std::printf("%zu traces: %zu races under ca, %zu under lw, all as the searches say (seeds 0 to %zu)\n", asked,
              total[0], total[1], asked - 1);
}

TEST(Plain, WindowsFindOnlyRaces) {
  SolverContext context;
  std::size_t in_windows = 0;
  std::size_t in_all = 0;
  for (std::uint64_t seed = 5000; seed < 5200; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    const Trace trace = judges::generate(shape, seed, {.max_events = 26});
    const auto all = races(trace, Model::Lw, 1000, context);
    const auto some = races(trace, Model::Lw, 12, context);
    in_all += all.size();
    in_windows += some.size();
    for (const judges::Pair& pair : some) {
      ASSERT_TRUE(all.contains(pair)) << "seed " << seed << ", pair " << pair.first << " " << pair.second << "\n"
                                      << judges::to_std(trace);
    }
  }
  std::printf("windows of 12 events find %zu of %zu races (seeds 5000 to 5199)\n", in_windows, in_all);
  EXPECT_GT(in_windows, in_all / 2);
}

}  // namespace
}  // namespace omen::relax
