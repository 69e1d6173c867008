/// \file
/// The judge's definitions against those of test/judges/, which share nothing with them: the same races on traces in
/// which every variable is a byte in a line of its own.
#include <gtest/gtest.h>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/online/traces/definition.hpp"

namespace omen::traces {
namespace {

constexpr std::size_t kTraces = 14'000;

/// Step i is event i. Atomics follow the variables.
Program program_of(const Trace& trace) {
  Program program;
  const std::size_t variables = trace.names.of(OperandKind::Variable).size();
  for (const Event& event : trace.events) {
    Step step{.thread = static_cast<std::uint8_t>(index(event.thread)),
              .op = event.op,
              .order = event.order,
              .object = static_cast<std::uint8_t>(event.operand)};
    if (is_memory(event.op)) {
      const std::size_t line = event.operand + (is_atomic(event.op) ? variables : 0);
      step.offset = static_cast<std::uint16_t>(line * 64);
      step.bytes = 1;
    }
    program.steps.push_back(step);
  }
  return program;
}

/// In the judges' traces an allocation is no access.
bool allocates(const Trace& trace) {
  for (const Event& event : trace.events) {
    if (event.op == Op::Allocate) return true;
  }
  return false;
}

TEST(Definition, HasTheRacesOfTheRelations) {
  constexpr std::array<std::pair<Relation, judges::Relation>, 4> kRelations{{{Relation::Hb, judges::Relation::Hb},
                                                                             {Relation::Wcp, judges::Relation::Wcp},
                                                                             {Relation::Dc, judges::Relation::Dc},
                                                                             {Relation::Wdc, judges::Relation::Wdc}}};
  const std::size_t count = judges::trace_count(kTraces) / judges::kShapes.size();
  std::size_t racy = 0;
  std::size_t judged = 0;
  for (const judges::Shape shape : judges::kShapes) {
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      const Trace trace = judges::generate(shape, seed);
      if (allocates(trace)) continue;
      const judges::RelationOracle oracle(trace);
      const Program program = program_of(trace);
      for (const auto& [ours, theirs] : kRelations) {
        const Verdict verdict = define(program, ours);
        const judges::Verdicts truth = oracle.races(theirs);
        const std::set<judges::Pair> pairs(truth.pairs.begin(), truth.pairs.end());
        ASSERT_EQ(verdict.pairs, pairs) << "shape " << name(shape) << ", seed " << seed << ", relation "
                                        << static_cast<int>(ours);
        racy += verdict.has_race();
        ++judged;
        for (std::size_t i = 0; i < trace.size(); ++i) {
          if (!is_access(trace.events[i].op)) continue;
          for (std::size_t j = 0; j < i; ++j) {
            ASSERT_EQ(verdict.happened_before[i].test(j), oracle.ordered(judges::Relation::Hb, j, i));
            ASSERT_EQ(verdict.hard_before[i].test(j), oracle.ordered(judges::Relation::To, j, i));
          }
        }
      }
    }
  }
  EXPECT_GT(judged, 3 * count);
  EXPECT_GT(racy, judged / 10);
  EXPECT_LT(racy, judged);
}

}  // namespace
}  // namespace omen::traces
