/// \file
/// The twelve analyses against the definitions, on random traces of every shape:
/// - each has its first race at the definition's first race, with partners that the definition confirms;
/// - the unoptimised level reports exactly the definition's racy accesses;
/// - collecting section tables and rule (b) logs at every opportunity does not change the results;
/// - nor does the reuse of slots of ended threads.
/// OMEN_TRACES sets how many traces in all; OMEN_SEED shifts the seeds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "analysis/analysis.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"
#include "analysis/relations/wdc.hpp"
#include "analysis/thread_slots.hpp"
#include "test/analysis/disagreement.hpp"
#include "test/analysis/relation_names.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen {
namespace {

constexpr std::size_t kTracesInAll = 252'000;

/// True if, without slots of their own, there are fewer slots than threads.
bool shares_slots(const Trace& trace) {
  RaceList races;
  WithThreadSlots<Analysis<Wdc, SmartTrack>> analysis(races, Tuning{.own_slots = 0});
  for (std::size_t i = 0; i < trace.size(); ++i) analysis.handle(trace.events[i], EventIndex{i});
  return analysis.slots() < trace.threads();
}

class Agreement : public testing::TestWithParam<judges::Shape> {};

TEST_P(Agreement, AllAnalysesAgreeWithTheDefinitions) {
  const char* shift = std::getenv("OMEN_SEED");
  const std::uint64_t base = shift == nullptr ? 1 : std::stoull(shift);
  const std::size_t count = judges::trace_count(kTracesInAll) / judges::kShapes.size();
  std::size_t racy = 0;
  std::size_t events = 0;
  std::size_t shared_slots = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t seed = base + i;
    const Trace trace = judges::generate(GetParam(), seed);
    const judges::RelationOracle oracle(trace);
    events += trace.size();
    // Every other trace runs with collections at every opportunity, every fourth with some that leave recent sections
    // alone.
    const std::size_t rarely = i % 4 == 0 ? Tuning{}.first_collection : 3;
    // In every third trace threads reuse slots as early as possible.
    const Tuning tuning{.own_slots = i % 3 == 0 ? 0 : Tuning{}.own_slots, .first_collection = i % 2 == 0 ? rarely : 0};
    if (tuning.own_slots == 0 && shares_slots(trace)) ++shared_slots;
    for (const AnalysisInfo& info : all_analyses()) {
      const judges::Verdicts truth = oracle.races(relation_of(info));
      if (truth.first && info.name == "unopt-wdc") ++racy;
      const std::string wrong = disagreement(info, trace, truth, tuning);
      ASSERT_TRUE(wrong.empty()) << info.name << ", shape " << name(GetParam()) << ", seed " << seed << ", collecting "
                                 << (tuning.first_collection == 0   ? "always"
                                     : tuning.first_collection == 3 ? "often"
                                                                    : "rarely")
                                 << ", own slots " << tuning.own_slots << ": " << wrong << "\n"
                                 << judges::to_std(trace);
    }
  }
  std::printf(
      "shape %s: %zu traces (seeds %llu to %llu), %zu events, %zu with a WDC race, %zu with shared slots; 12 analyses "
      "agree\n",
      std::string(name(GetParam())).c_str(), count, static_cast<unsigned long long>(base),
      static_cast<unsigned long long>(base + count - 1), events, racy, shared_slots);
  EXPECT_GT(count, 0U);
  EXPECT_GT(racy, 0U);
  EXPECT_LT(racy, count);
  // Such traces are rare: one in some thousand.
  constexpr std::size_t kEnough = 10'000;
  if (count >= kEnough && (GetParam() == judges::Shape::Forky || GetParam() == judges::Shape::Rich)) {
    EXPECT_GT(shared_slots, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Agreement, testing::ValuesIn(judges::kShapes),
                         [](const auto& shape) { return std::string(name(shape.param)); });

}  // namespace
}  // namespace omen
