/// \file
/// Parts of a report that come from a trace: locks held, hidden order, heap blocks, the short schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "report/describe.hpp"
#include "report/hidden_order.hpp"
#include "report/schedule.hpp"
#include "report/trace_scan.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen::report {
namespace {

std::vector<std::string> locks_at(const Trace& trace, std::uint64_t event) {
  const std::vector<std::uint64_t> asked{event};
  std::vector<std::string> names;
  const TraceScan scanned = scan(trace, asked);
  for (const LockHeld& held : scanned.held.at(event)) {
    names.push_back(trace.names.of(held.lock) + (held.shared ? "/r@" : "@") + std::to_string(held.acquired));
  }
  return names;
}

using Texts = std::vector<std::string>;

TEST(HeldLocks, RecursionSharedModeAndAnyOrderOfRelease) {
  const Trace trace = judges::trace_of(R"(
    A|acq(m)
    A|acq(m)
    A|racq(n)
    A|rel(m)
    A|w(x)
    A|rel(m)
    A|w(x)
    B|w(x)
    A|rrel(n)
    A|w(x))");
  EXPECT_EQ(locks_at(trace, 4), (Texts{"m@0", "n/r@2"}));
  EXPECT_EQ(locks_at(trace, 6), (Texts{"n/r@2"}));
  EXPECT_EQ(locks_at(trace, 7), Texts{});
  EXPECT_EQ(locks_at(trace, 9), Texts{});
  EXPECT_EQ(scan(trace, {}).synchronisations, 6U);
}

TEST(HeldLocks, AWaitGivesTheMutexUpWhateverItsDepth) {
  const Trace trace = judges::trace_of(R"(
    A|acq(m)
    A|acq(m)
    A|wait(m)
    B|w(x)
    A|wake(m)
    A|rel(m)
    A|w(x)
    A|rel(m)
    A|w(x))");
  EXPECT_EQ(locks_at(trace, 6), (Texts{"m@4"}));
  EXPECT_EQ(locks_at(trace, 8), Texts{});
}

TEST(TraceScan, FinishedThreadsEndedOrWereJoined) {
  const Trace trace = judges::trace_of("A|fork(B)\nA|fork(C)\nB|end\nC|w(x)\nA|join(C)\nA|w(x)");
  EXPECT_EQ(scan(trace, {}).finished, (std::vector<bool>{false, true, true}));
}

TEST(Attempts, HaveWords) {
  const Trace trace = judges::trace_of(R"(
    A|acq(m)
    A|store.release(m held by A)
    B|load.acquire(m held by A)
    A|store.relaxed(m held by A)
    A|store.release(s taken by A)
    B|load.acquire(s taken by A)
    B|load.acquire(s))");
  const CaptureInfo info;
  symbolize::Symbolizer symbolizer(info.modules);
  const SourceMap map(trace, info, symbolizer);
  Texts texts;
  for (std::uint64_t i = 0; i < trace.size(); ++i) texts.push_back(step_of(map, i).text);
  EXPECT_EQ(texts,
            (Texts{"locks M0 'm'", "holds M0 'm' from here", "finds M0 'm' taken by A", "holds M0 'm' until here",
                   "takes from 's'", "finds 's' as A has left it", "reads atomic 's' (acquire)"}));
}

TEST(HiddenOrder, ALockHandedOver) {
  const Trace trace = judges::trace_of(R"(
    A|w(x)
    A|acq(m)
    A|rel(m)
    B|acq(m)
    B|rel(m)
    B|w(x))");
  EXPECT_EQ(hidden_order(trace, 0, 5), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(hidden_order(trace, 2, 2).empty());
}

TEST(HiddenOrder, ThroughThirdThreadsAtomicsBarriersForkAndJoin) {
  const Trace trace = judges::trace_of(R"(
    A|w(x)
    A|store.release(flag)
    C|load.acquire(flag)
    C|fork(D)
    D|arrive(b)
    B|arrive(b)
    B|leave(b)
    B|w(x))");
  EXPECT_EQ(hidden_order(trace, 0, 7), (std::vector<std::uint64_t>{1, 2, 3, 4, 6}));
  const Trace joined = judges::trace_of("B|fork(A)\nA|w(x)\nA|w(y)\nB|join(A)\nB|w(x)");
  EXPECT_EQ(hidden_order(joined, 1, 4), (std::vector<std::uint64_t>{2, 3}));
}

TEST(HiddenOrder, NothingWhereNothingOrders) {
  const Trace readers = judges::trace_of("A|racq(m)\nA|w(x)\nA|rrel(m)\nB|racq(m)\nB|rrel(m)\nB|w(x)");
  EXPECT_TRUE(hidden_order(readers, 1, 5).empty());
  const Trace relaxed = judges::trace_of("A|w(x)\nA|store.relaxed(f)\nB|load.acquire(f)\nB|w(x)");
  EXPECT_TRUE(hidden_order(relaxed, 0, 3).empty());
  const Trace overwritten =
      judges::trace_of("A|w(x)\nA|store.release(f)\nC|store.release(f)\nB|load.acquire(f)\nB|w(x)");
  EXPECT_TRUE(hidden_order(overwritten, 0, 4).empty());
}

/// Excludes traces with fences, which hidden order does not follow, and with barriers, whose rounds it does not
/// distinguish.
bool has_all_edges(const Trace& trace) {
  return std::ranges::none_of(trace.events, [](const Event& event) {
    return event.op == Op::Fence || event.op == Op::BarrierArrive || event.op == Op::Allocate;
  });
}

TEST(HiddenOrder, AgreesWithHappensBeforeOnRandomTraces) {
  constexpr std::uint64_t kFirstSeed = 61'000'000;
  const std::size_t traces = judges::trace_count(20'000);
  std::size_t ordered = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 24});
    if (!has_all_edges(trace)) continue;
    const auto races = judges::RelationOracle(trace).races(judges::Relation::Hb).pairs;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      for (std::uint32_t j = i + 1; j < trace.size(); ++j) {
        const Event& one = trace.events[i];
        const Event& two = trace.events[j];
        if (!is_access(one.op) || !is_access(two.op) || one.operand != two.operand || one.thread == two.thread)
          continue;
        if (!is_write(one.op) && !is_write(two.op)) continue;
        const bool race = std::ranges::count(races, judges::Pair{i, j}) != 0;
        const auto chain = hidden_order(trace, i, j);
        ASSERT_EQ(chain.empty(), race) << "seed " << seed << ", " << i << "," << j << "\n" << judges::to_std(trace);
        ASSERT_TRUE(std::ranges::is_sorted(chain));
        if (!race) ++ordered;
      }
    }
  }
  std::printf("%zu traces (seeds from %llu), %zu ordered pairs\n", traces, static_cast<unsigned long long>(kFirstSeed),
              ordered);
  EXPECT_GT(ordered, 0U);
}

TEST(HeapBlocks, TheNewestThatExistsThen) {
  const std::vector<HeapBlock> blocks{{0, 0x100, 16, {}, 0}, {5, 0x200, 8, {}, 0}, {9, 0x108, 16, {}, 0}};
  const std::vector<AddressAt> questions{{0x108, 3}, {0x108, 9}, {0x204, 4}, {0x204, 5},
                                         {0x208, 9}, {0x0ff, 9}, {0x117, 20}};
  const auto found = find_blocks(blocks, questions);
  using Position = std::optional<std::size_t>;
  EXPECT_EQ(found, (std::vector<Position>{0, 2, {}, 1, {}, {}, 2}));
}

class Schedule : public testing::Test {
 protected:
  Texts lines(const Trace& trace, const std::vector<std::uint32_t>& witness, std::size_t most = 20) {
    symbolize::Symbolizer symbolizer({});
    const CaptureInfo info;
    const SourceMap map(trace, info, symbolizer);
    std::vector<LockHeld> held;
    const std::vector<std::uint64_t> pair(witness.end() - 2, witness.end());
    const TraceScan scanned = scan(trace, pair);
    for (const std::uint64_t event : pair) {
      const auto& mine = scanned.held.at(event);
      held.insert(held.end(), mine.begin(), mine.end());
    }
    Texts texts;
    for (const ScheduleStep& step : short_schedule(map, witness, held, most)) {
      texts.push_back((step.thread ? map.label(ThreadId{*step.thread}) : "...") + " " + step.text);
    }
    return texts;
  }
};

TEST_F(Schedule, RunsAreOneLineAndSynchronisationIsShown) {
  const Trace trace = judges::trace_of(R"(
    A|w(y)|a.c:1
    A|r(y)|a.c:2
    A|w(y)|a.c:3
    A|w(x)|a.c:4
    A|acq(m)|a.c:5
    A|rel(m)|a.c:6
    B|acq(m)|b.c:1
    B|w(z)|b.c:2
    B|rel(m)|b.c:3
    B|w(x)|b.c:4)");
  EXPECT_EQ(lines(trace, {0, 1, 2, 6, 7, 8, 3, 9}),
            (Texts{"A runs a.c:1 … a.c:3", "B locks M0 'm' at b.c:1 and unlocks it", "A writes 'x'", "B writes 'x'"}));
}

TEST_F(Schedule, AStretchIsNamedByThePlacesThatAreKnown) {
  const Trace trace = judges::trace_of(R"(
    A|fork(B)|a.c:1
    A|w(x)|a.c:2
    B|begin|
    B|w(y)|b.c:1
    B|acq(m)|b.c:2
    B|rel(m)|b.c:3
    B|w(z)|
    B|w(x)|b.c:4)");
  EXPECT_EQ(lines(trace, {0, 2, 3, 4, 5, 6, 1, 7}),
            (Texts{"A creates B", "B runs b.c:1", "B locks M0 'm' at b.c:2 and unlocks it", "B runs", "A writes 'x'",
                   "B writes 'x'"}));
  EXPECT_EQ(lines(trace, {0, 2, 1, 7}), (Texts{"A creates B", "B begins", "A writes 'x'", "B writes 'x'"}));
}

TEST_F(Schedule, LongOnesAreCutFromTheirStart) {
  std::string text;
  std::vector<std::uint32_t> witness;
  std::uint32_t n = 0;
  const auto event = [&](const std::string& line, bool in_witness = true) {
    text += line + "\n";
    if (in_witness) witness.push_back(n);
    ++n;
  };
  event("A|acq(held)|a.c:1");
  for (int i = 0; i < 200; ++i) {
    event("A|acq(m)|a.c:2");
    event("A|w(y)|a.c:3");
    event("A|rel(m)|a.c:4");
    event("C|acq(m)|c.c:2");
    event("C|rel(m)|c.c:4");
    event("C|w(q)|c.c:5");
    event("B|acq(m)|b.c:2");
    event("B|rel(m)|b.c:4");
  }
  event("A|w(x)|a.c:9");
  event("B|w(x)|b.c:9");
  const Texts all = lines(judges::trace_of(text), witness);
  EXPECT_LE(all.size(), 20U);
  EXPECT_EQ(all[0], "A locks M0 'held'");  // held at the race, so it stays
  EXPECT_TRUE(all[1].starts_with("... ("));
  EXPECT_EQ(all[all.size() - 2], "A writes 'x'");
  EXPECT_EQ(all.back(), "B writes 'x'");
  for (const std::size_t most : {0U, 3U, 8U}) {
    const Texts few = lines(judges::trace_of(text), witness, most);
    EXPECT_LE(few.size(), std::max<std::size_t>(most, 5));
    EXPECT_EQ(few.back(), "B writes 'x'");
  }
}

TEST_F(Schedule, SectionsThatAreInterruptedOrNestedStayApart) {
  const Trace trace = judges::trace_of(R"(
    A|begin|
    A|acq(m)|a.c:1
    B|w(y)|b.c:1
    A|w(z)|a.c:2
    A|acq(n)|a.c:3
    A|rel(n)|a.c:4
    A|rel(m)|a.c:5
    A|w(x)|a.c:6
    B|w(x)|b.c:2)");
  EXPECT_EQ(lines(trace, {0, 1, 2, 3, 4, 5, 6, 7, 8}),
            (Texts{"A begins", "A locks M0 'm'", "B runs b.c:1", "A runs a.c:2",
                   "A locks M1 'n' at a.c:3 and unlocks it", "A unlocks M0 'm'", "A writes 'x'", "B writes 'x'"}));
}

TEST_F(Schedule, WaitingLoopsAreOneLine) {
  std::string text = "A|w(x)|a.c:1\n";
  std::vector<std::uint32_t> witness;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    text += "B|load.acquire(flag)|b.c:1\n";
    witness.push_back(i);
  }
  text += "B|w(x)|b.c:2\n";
  witness.insert(witness.end(), {0, 51});
  EXPECT_EQ(lines(judges::trace_of(text), witness),
            (Texts{"B reads atomic 'flag' (acquire), 50 times", "A writes 'x'", "B writes 'x'"}));
}

/// B signals within its section, while C does something else. Without B's section A may still wake up.
TEST_F(Schedule, AWakeUpWithoutASignalSaysSo) {
  const Trace trace = judges::trace_of(R"(
    A|acq(m)|a.c:1
    A|wait(m)|a.c:2
    B|w(x)|b.c:1
    B|acq(m)|b.c:2
    B|rel(m)|b.c:3
    C|w(y)|c.c:1
    A|wake(m)|a.c:2
    A|rel(m)|a.c:3
    A|w(x)|a.c:4)");
  const std::string spurious = "A wakes up with M0 'm' (spurious wake-up: nobody signals)";
  EXPECT_EQ(lines(trace, {0, 1, 5, 6, 7, 2, 8}),
            (Texts{"A locks M0 'm'", "A waits, and gives up M0 'm'", "... (1 event left out)", spurious,
                   "A unlocks M0 'm'", "B writes 'x'", "A writes 'x'"}));
  const Trace signalled = judges::trace_of(R"(
    A|acq(m)|a.c:1
    A|wait(m)|a.c:2
    B|acq(m)|b.c:2
    B|rel(m)|b.c:3
    A|wake(m)|a.c:2
    B|w(x)|b.c:4
    A|rel(m)|a.c:3
    A|w(x)|a.c:4)");
  for (const std::string& line : lines(signalled, {0, 1, 2, 3, 4, 6, 5, 7}))
    EXPECT_EQ(line.find("without a signal"), std::string::npos) << line;
  // No thread takes the mutex in between: any event of another thread may be the signal.
  const Trace unlocked = judges::trace_of(R"(
    A|acq(m)|a.c:1
    A|wait(m)|a.c:2
    B|w(y)|b.c:1
    A|wake(m)|a.c:2
    A|rel(m)|a.c:3
    B|w(x)|b.c:4
    A|w(x)|a.c:4)");
  for (const std::string& line : lines(unlocked, {0, 1, 2, 3, 4, 5, 6}))
    EXPECT_EQ(line.find("without a signal"), std::string::npos) << line;
  const Texts alone = lines(unlocked, {0, 1, 3, 4, 5, 6});
  EXPECT_TRUE(std::ranges::any_of(alone, [](const std::string& l) { return l.contains("spurious wake-up"); }));
}

TEST_F(Schedule, TheShortestWitness) {
  EXPECT_EQ(lines(judges::trace_of("A|w(x)\nB|free(x)"), {0, 1}), (Texts{"A writes 'x'", "B frees 'x'"}));
}

}  // namespace
}  // namespace omen::report
