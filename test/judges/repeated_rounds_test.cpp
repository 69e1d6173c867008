/// \file
/// Judges the removal of repeated rounds by the recorder (capture/runtime/records/repeated_rounds.hpp): a round of
/// reads and one section that repeats the previous round, while no other thread uses the lock or writes to what is
/// read. Random traces get such a round R and its repetition R'. With R' and without it, by the definitions, the same
/// pairs race in each relation, and the same pairs are predictable (LW; under CA, which is stricter, none is lost), if
/// an event of R' counts as its twin in R. OMEN_TRACES sets how many traces; OMEN_SEED shifts the seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "test/judges/random.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "trace/well_formed.hpp"

namespace omen::judges {
namespace {

constexpr std::size_t kTraces = 30'000;
constexpr std::size_t kMostStates = 20'000;

bool is_lock_operation(Op op) {
  switch (op) {
    case Op::Acquire:
    case Op::Release:
    case Op::AcquireShared:
    case Op::ReleaseShared:
    case Op::Wait:
    case Op::Wake:
      return true;
    default:
      return false;
  }
}
bool changes_variable(Op op) {
  return op == Op::Write || op == Op::Allocate || op == Op::Free;
}

/// A trace, and for each event the event of the shorter trace that it is or repeats.
struct Repeated {
  Trace with;
  Trace without;
  std::vector<std::size_t> original;
};

bool is_well_formed(Trace& trace) {
  WellFormedness rules;
  return std::ranges::all_of(trace.events, [&](Event& event) { return rules.check(event, trace.names).has_value(); });
}

/// Nothing if there is no room for a round at the random position.
std::optional<Repeated> with_repeated_round(Shape shape, std::uint64_t seed, const Limits& limits) {
  Random random(seed ^ 0x5eed);
  const Trace base = generate(shape, seed, limits);
  const std::size_t locks = base.names.of(OperandKind::Lock).size();
  const std::size_t variables = base.names.of(OperandKind::Variable).size();
  if (base.size() == 0 || locks == 0 || variables == 0) return std::nullopt;
  const std::size_t after = random.below(base.size());
  const Event& before = base.events[after];
  if (before.op == Op::End || before.op == Op::Wait || before.op == Op::BarrierArrive) return std::nullopt;
  const bool shared = random.percent(30);
  const auto lock = static_cast<std::uint32_t>(random.below(locks));
  std::vector<Event> round;
  const auto add = [&](Op op, std::size_t operand) {
    round.push_back({.thread = before.thread,
                     .operand = static_cast<std::uint32_t>(operand),
                     .location = before.location,
                     .op = op});
  };
  const auto add_reads = [&] {
    for (std::size_t n = random.below(3); n > 0; --n) add(Op::Read, random.below(variables));
  };
  add_reads();
  add(shared ? Op::AcquireShared : Op::Acquire, lock);
  add_reads();
  add(shared ? Op::ReleaseShared : Op::Release, lock);

  // Where R' may be: before the thread's next event, and before another thread's use of what the round uses.
  const auto ends_room = [&](const Event& event) {
    if (event.thread == before.thread) return true;
    if (is_lock_operation(event.op)) return event.operand == lock;
    return changes_variable(event.op) && std::ranges::any_of(round, [&](const Event& own) {
             return own.op == Op::Read && own.operand == event.operand;
           });
  };
  std::size_t end = after + 1;
  while (end < base.size() && !ends_room(base.events[end])) ++end;
  std::vector<std::size_t> places(round.size());
  for (std::size_t& place : places) place = random.between(after + 1, end);
  std::ranges::sort(places);

  Repeated result{generate(shape, seed, limits), generate(shape, seed, limits), {}};  // for the names
  result.with.events.clear();
  result.without.events.clear();
  const auto put = [&](const Event& event) {
    result.with.events.push_back(event);
    result.without.events.push_back(event);
    result.original.push_back(result.without.size() - 1);
  };
  for (std::size_t i = 0; i <= after; ++i) put(base.events[i]);
  const std::size_t first = result.without.size();
  for (const Event& event : round) put(event);
  std::size_t repeated = 0;
  for (std::size_t i = after + 1; i <= base.size(); ++i) {
    for (; repeated < round.size() && places[repeated] == i; ++repeated) {
      result.with.events.push_back(round[repeated]);
      result.original.push_back(first + repeated);
    }
    if (i < base.size()) put(base.events[i]);
  }
  if (!is_well_formed(result.with) || !is_well_formed(result.without)) return std::nullopt;
  return result;
}

using Pairs = std::set<Pair>;

Pairs of_originals(const std::vector<Pair>& pairs, const std::vector<std::size_t>& original) {
  Pairs result;
  for (const auto& [a, b] : pairs) result.insert(std::minmax(original[a], original[b]));
  return result;
}

TEST(RepeatedRounds, SayNothingNew) {
  const char* const shift = std::getenv("OMEN_SEED");
  const std::uint64_t base = shift == nullptr ? 1 : std::stoull(shift);
  std::size_t rounds = 0;
  std::size_t in_races = 0;
  std::size_t interleaved = 0;
  std::size_t searched = 0;
  for (std::size_t i = 0; i < trace_count(kTraces); ++i) {
    const std::uint64_t seed = base + i;
    const Shape shape = kShapes[i % kShapes.size()];
    const bool searches = i % 4 == 0;
    const auto made = with_repeated_round(shape, seed, {.max_events = searches ? 14U : 30U});
    if (!made) continue;
    ++rounds;
    const auto same = [&](const std::vector<Pair>& with, const std::vector<Pair>& without) {
      const Pairs mapped = of_originals(with, made->original);
      if (mapped.size() < with.size()) ++in_races;  // a race between an event of R and its twin
      return mapped == Pairs(without.begin(), without.end());
    };
    for (std::size_t k = 1; k < made->original.size(); ++k) {
      if (made->original[k - 1] > made->original[k] + 1) {
        ++interleaved;
        break;
      }
    }
    const std::string what =
        "shape " + std::string(name(shape)) + ", seed " + std::to_string(seed) + "\n" + to_std(made->with);
    const RelationOracle with(made->with);
    const RelationOracle without(made->without);
    for (const Relation relation : {Relation::Hb, Relation::Wcp, Relation::Dc, Relation::Wdc}) {
      ASSERT_TRUE(same(with.races(relation).pairs, without.races(relation).pairs))
          << "relation " << static_cast<int>(relation) << ", " << what;
    }
    if (!searches) continue;
    for (const Notion notion : {Notion::Ca, Notion::Lw}) {
      const ReorderingSearch long_one(made->with, notion, kMostStates);
      const ReorderingSearch short_one(made->without, notion, kMostStates);
      if (!long_one.complete() || !short_one.complete()) continue;
      ++searched;
      const Pairs of_long = of_originals(long_one.pairs(), made->original);
      const auto of_short = short_one.pairs();
      // CA also puts a write after the reads of R', which a schedule need not execute: without them CA allows more of
      // what LW allows.
      ASSERT_TRUE(notion == Notion::Ca ? std::ranges::includes(Pairs(of_short.begin(), of_short.end()), of_long)
                                       : same(long_one.pairs(), of_short))
          << "notion " << static_cast<int>(notion) << ", " << what;
    }
  }
  std::printf(
      "%zu rounds (seeds from %llu), %zu answers with a race of a repeated read, %zu with others in between, %zu "
      "searches\n",
      rounds, static_cast<unsigned long long>(base), in_races, interleaved, searched);
  // At least every second trace has a race, and at least every fifth was searched.
  const std::size_t traces = trace_count(kTraces);
  EXPECT_GT(rounds, traces / 2);
  EXPECT_GT(in_races, traces / 2);
  EXPECT_GT(interleaved, traces / 10);
  EXPECT_GT(searched, traces / 5);
}

}  // namespace
}  // namespace omen::judges
