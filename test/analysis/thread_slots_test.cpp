/// \file
/// Threads that follow each other in a slot: the verdicts are those of the definitions, for all analyses. The traces
/// are random ones in which threads were split in two: another thread joins the first part and forks the second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/levels/unopt.hpp"
#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/thread_slots.hpp"
#include "test/analysis/disagreement.hpp"
#include "test/analysis/relation_names.hpp"
#include "test/judges/random.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "trace/well_formed.hpp"

namespace omen {
namespace {

constexpr std::uint64_t kFirstSeed = 51'000'000;
constexpr std::size_t kTracesInAll = 30'000;

bool is_well_formed(std::vector<Event>& events, const Names& names) {
  WellFormedness rules;
  return std::ranges::all_of(events, [&](Event& event) { return rules.check(event, names).has_value(); });
}

Event event_of(ThreadId thread, Op op, ThreadId target) {
  Event event;
  event.thread = thread;
  event.op = op;
  event.operand = static_cast<std::uint32_t>(target);
  return event;
}

/// A thread ends at a random event. Another one joins it; that one, or a third, forks a thread that executes the rest.
/// A thread may join the first part once more, much later. False: the result would not be well formed.
bool cut(Trace& trace, judges::Random& random) {
  if (trace.size() == 0) return false;
  const std::size_t at = random.below(trace.size());
  const ThreadId first = trace.events[at].thread;
  const ThreadId joins = trace.events[random.below(trace.size())].thread;
  const ThreadId forks = random.percent(70) ? joins : trace.events[random.below(trace.size())].thread;
  NameTable& threads = trace.names.of(OperandKind::Thread);
  const ThreadId second{static_cast<std::uint32_t>(threads.size())};
  if (joins == first || forks == first) return false;
  std::vector<Event> events(trace.events.begin(), trace.events.begin() + static_cast<std::ptrdiff_t>(at));
  events.push_back(event_of(joins, Op::Join, first));
  events.push_back(event_of(forks, Op::Fork, second));
  for (std::size_t i = at; i < trace.size(); ++i) {
    Event event = trace.events[i];
    if (event.thread == first) event.thread = second;
    if (event.op == Op::Join && event.target() == first) event.operand = static_cast<std::uint32_t>(second);
    events.push_back(event);
  }
  if (random.percent(30)) events.push_back(event_of(joins, Op::Join, first));
  std::string name = "S";
  name += std::to_string(threads.size());
  threads.intern(name);
  if (!is_well_formed(events, trace.names)) return false;  // the name stays, which is harmless
  trace.events = std::move(events);
  return true;
}

Trace cut_trace(judges::Shape shape, std::uint64_t seed) {
  Trace trace = judges::generate(shape, seed);
  judges::Random random(seed);
  std::size_t cuts = 0;
  for (int tries = 0; tries < 20 && cuts < 4; ++tries) cuts += cut(trace, random) ? 1U : 0U;
  return trace;
}

template <class Relation, template <class> class Level>
std::size_t slots_of(const Trace& trace) {
  RaceList races;
  WithThreadSlots<Analysis<Relation, Level>> analysis(races, Tuning{.own_slots = 0});
  for (std::size_t i = 0; i < trace.size(); ++i) analysis.handle(trace.events[i], EventIndex{i});
  return analysis.slots();
}

std::size_t threads_with_events(const Trace& trace) {
  std::vector<bool> seen(trace.threads(), false);
  for (const Event& event : trace.events) seen[index(event.thread)] = true;
  return static_cast<std::size_t>(std::ranges::count(seen, true));
}

TEST(ThreadSlots, TheVerdictsAreThoseOfTheDefinitions) {
  const std::size_t count = judges::trace_count(kTracesInAll);
  std::size_t shared = 0;
  std::size_t shared_in_wcp = 0;
  std::size_t racy = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t seed = kFirstSeed + i;
    const judges::Shape shape = judges::kShapes[i % judges::kShapes.size()];
    const Trace trace = cut_trace(shape, seed);
    const judges::RelationOracle oracle(trace);
    const std::size_t threads = threads_with_events(trace);
    if (slots_of<Dc, SmartTrack>(trace) < threads) ++shared;
    if (slots_of<Wcp, SmartTrack>(trace) < threads) ++shared_in_wcp;
    const Tuning tuning{.own_slots = i % 4 == 3 ? 2U : 0U,
                        .first_collection = i % 2 == 0 ? Tuning{}.first_collection : 0};
    for (const AnalysisInfo& info : all_analyses()) {
      const judges::Verdicts truth = oracle.races(relation_of(info));
      if (truth.first && info.name == "unopt-wdc") ++racy;
      const std::string wrong = disagreement(info, trace, truth, tuning);
      ASSERT_TRUE(wrong.empty()) << info.name << ", shape " << name(shape) << ", seed " << seed << ": " << wrong << "\n"
                                 << judges::to_std(trace);
    }
  }
  std::printf("%zu traces (seeds from %llu), %zu with a WDC race, %zu with shared slots, in WCP %zu\n", count,
              static_cast<unsigned long long>(kFirstSeed), racy, shared, shared_in_wcp);
  EXPECT_GT(shared, count / 4);
  EXPECT_GT(shared_in_wcp, count / 20);
  EXPECT_GT(racy, count / 4);
  EXPECT_LT(racy, count);
}

/// Threads that are created and joined, 8 at a time: as many slots, whatever the relation.
TEST(ThreadSlots, AreAsManyAsThreadsRunAtOnce) {
  constexpr std::size_t kThreads = 2000;
  constexpr std::size_t kLive = 8;
  std::string text;
  for (std::size_t i = 0; i < kThreads; ++i) {
    const std::string t = "T" + std::to_string(i);
    if (i >= kLive) text += "M|join(T" + std::to_string(i - kLive) + ")\n";
    text += "M|fork(" + t + ")\n" + t + "|acq(m)\n" + t + "|r(c)\n" + t + "|w(c)\n" + t + "|rel(m)\n";
  }
  const Trace trace = judges::trace_of(text);
  EXPECT_LE((slots_of<Hb, Unopt>(trace)), kLive + 2);
  EXPECT_LE((slots_of<Wcp, SmartTrack>(trace)), 2 * kLive);
  EXPECT_LE((slots_of<Dc, SmartTrack>(trace)), kLive + 2);
}

}  // namespace
}  // namespace omen
