/// \file
/// docs/event-model.md, operation by operation: small traces, and the verdicts of the definitions.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"

namespace omen::judges {
namespace {

constexpr Relation kFour[] = {Relation::Hb, Relation::Wcp, Relation::Dc, Relation::Wdc};

/// The relations in which the trace has a race, as letters: H, W, D and w for WDC.
std::string racy(std::string_view text) {
  const Trace trace = trace_of(text);
  const RelationOracle oracle(trace);
  std::string letters;
  for (const Relation relation : kFour) {
    if (oracle.races(relation).first) letters += "?HWDw"[static_cast<std::size_t>(relation)];
  }
  return letters;
}

bool ordered_in_all(std::string_view text, std::size_t i, std::size_t j) {
  const Trace trace = trace_of(text);
  const RelationOracle oracle(trace);
  return std::ranges::all_of(kFour, [&](Relation r) { return oracle.ordered(r, i, j); });
}

std::vector<Pair> predictable(std::string_view text, Notion notion) {
  const Trace trace = trace_of(text);
  return ReorderingSearch(trace, notion).pairs();
}

const std::vector<Pair> kNone;

// ---- Sections.

TEST(Sections, OfReadersDoNotConflict) {
  EXPECT_EQ(racy("T1|w(x)\nT1|racq(m)\nT1|rrel(m)\nT2|racq(m)\nT2|rrel(m)\nT2|w(x)"), "HWDw");
  // Not even if they contain conflicting accesses.
  EXPECT_EQ(racy("T1|racq(m)\nT1|w(x)\nT1|rrel(m)\nT2|racq(m)\nT2|w(x)\nT2|rrel(m)"), "HWDw");
}

TEST(Sections, OfAReaderAndAWriterAreRivals) {
  EXPECT_EQ(racy("T1|racq(m)\nT1|r(x)\nT1|rrel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)"), "");
  EXPECT_EQ(racy("T1|acq(m)\nT1|w(x)\nT1|rel(m)\nT2|racq(m)\nT2|r(x)\nT2|rrel(m)"), "");
  EXPECT_EQ(racy("T1|w(x)\nT1|racq(m)\nT1|rrel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"), "WDw");
}

TEST(Sections, OfReadersMayOverlapInAReordering) {
  constexpr const char* kText =
      "T1|racq(m)\nT1|w(x)\nT1|rrel(m)\nT2|racq(m)\nT2|w(x)\nT2|rrel(m)\nT3|acq(m)\nT3|w(x)\nT3|rel(m)";
  EXPECT_EQ(predictable(kText, Notion::Ca), (std::vector<Pair>{{1, 4}}));
}

TEST(Sections, OfARecursiveLockEndAtDepthZero) {
  // The conflicting write of T1 comes after the inner release: it is still inside.
  EXPECT_EQ(racy("T1|acq(m)\nT1|acq(m)\nT1|rel(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)"), "");
  const Trace trace = trace_of("T1|acq(m)\nT1|acq(m)\nT1|rel(m)\nT1|rel(m)\nT1|racq(m)\nT1|racq(m)\nT1|rrel(m)");
  const auto all = sections(trace);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].start, 0U);
  EXPECT_EQ(all[0].end, 3U);
  EXPECT_EQ(all[1].start, 4U);
  EXPECT_EQ(all[1].end, std::nullopt);
}

TEST(Sections, ThatStayOpenTakePartInRuleA) {
  EXPECT_EQ(racy("T1|acq(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|w(x)"), "");
}

TEST(Sections, MayBeReleasedInAnyOrder) {
  // w(x) is in the section on m, which ends after the section on n has ended.
  EXPECT_EQ(racy("T1|acq(n)\nT1|acq(m)\nT1|rel(n)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)"), "");
  EXPECT_EQ(racy("T1|acq(n)\nT1|acq(m)\nT1|rel(n)\nT1|w(x)\nT1|rel(m)\nT2|acq(n)\nT2|w(x)\nT2|rel(n)"), "HWDw");
}

TEST(Sections, OfOneThreadCountForRuleBOfWcp) {
  // The order travels T1, T2, T1 and comes back into a section on m of T1 itself.
  const Trace trace = trace_of(R"(
    T1|acq(m)
    T1|acq(o)
    T1|w(u)
    T1|rel(o)
    T1|r(x)
    T1|rel(m)
    T2|acq(o)
    T2|r(u)
    T2|rel(o)
    T2|acq(p)
    T2|w(v)
    T2|rel(p)
    T1|acq(m)
    T1|acq(p)
    T1|r(v)
    T1|rel(p)
    T1|rel(m)
    T1|acq(n)
    T1|rel(n)
    T3|acq(n)
    T3|rel(n)
    T3|w(x)
  )");
  const RelationOracle oracle(trace);
  EXPECT_TRUE(oracle.ordered(Relation::Wcp, 4, 21)) << "rel(m) to rel(m) of T1, then HB to T3";
  EXPECT_FALSE(oracle.ordered(Relation::Dc, 4, 21));
}

// ---- Waits.

TEST(Wait, IsAReleaseAndWakeAnAcquire) {
  constexpr const char* kText =
      "T1|acq(m)\nT1|w(x)\nT1|wait(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)\nT1|wake(m)\nT1|r(x)\nT1|rel(m)";
  EXPECT_EQ(racy(kText), "");
  const auto all = sections(trace_of(kText));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].end, 2U);
  EXPECT_EQ(all[2].start, 6U);
  EXPECT_EQ(all[2].end, 8U);
}

TEST(Wait, EndsTheSectionAtAnyDepth) {
  constexpr const char* kText =
      "T1|acq(m)\nT1|acq(m)\nT1|wait(m)\nT1|wake(m)\nT1|rel(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)";
  EXPECT_EQ(racy(kText), "");
  const auto all = sections(trace_of(kText));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].end, 2U);
  EXPECT_EQ(all[1].end, 6U);
}

TEST(Wait, WithoutConflictOrdersInHbAlone) {
  EXPECT_EQ(racy("T1|w(x)\nT1|acq(m)\nT1|wait(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"), "WDw");
}

TEST(Wait, GivesTheLockUpInAReordering) {
  // T2's section fits only between wait and wake, or before the acquire; while T1 is in the second section it cannot
  // run.
  constexpr const char* kText =
      "T1|acq(m)\nT1|wait(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)\nT1|wake(m)\nT1|w(x)\nT1|rel(m)\nT2|w(y)\nT1|r(y)";
  EXPECT_EQ(predictable(kText, Notion::Lw), (std::vector<Pair>{{8, 9}}));
}

// ---- Hard order.

TEST(HardOrder, OfForkAndJoin) {
  EXPECT_EQ(racy("T1|w(x)\nT1|fork(T2)\nT2|w(x)\nT1|join(T2)\nT1|r(x)"), "");
  EXPECT_EQ(racy("T1|fork(T2)\nT1|w(x)\nT2|w(x)\nT1|join(T2)\nT1|r(x)"), "HWDw");
}

TEST(HardOrder, OfSeveralJoinsOfOneThread) {
  EXPECT_EQ(racy("T1|w(x)\nT2|join(T1)\nT3|join(T1)\nT2|r(x)\nT3|r(x)"), "");
}

TEST(HardOrder, OfAForkAndAJoinOfAThreadWithoutEvents) {
  EXPECT_EQ(racy("T1|w(x)\nT1|fork(T3)\nT2|join(T3)\nT2|w(x)"), "");
  EXPECT_EQ(predictable("T1|w(x)\nT1|fork(T3)\nT2|join(T3)\nT2|w(x)", Notion::Lw), kNone);
}

/// docs/event-model.md: DC may order events that WCP ∪ TO leaves unordered, if a thread forks inside a section. T1's
/// section on n began in the one on m: T2 knows that by hard order, which locks created, and rule (b) of DC implies the
/// rest.
TEST(HardOrder, OutOfASectionCountsForRuleBOfDcNotOfWcp) {
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|acq(n)\nT1|rel(m)\nT1|w(x)\nT1|rel(n)\nT2|acq(m)\nT2|rel(m)\nT2|acq(n)\n"
                 "T2|rel(n)\nT2|w(x)"),
            "Ww");
}

// T2 acquires m only after the section that was open at its fork.
TEST(HardOrder, OutOfASectionPutsItsEndBeforeLaterSectionsOnItsLock) {
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"), "");
  EXPECT_EQ(racy("T1|acq(m)\nT1|w(x)\nT1|fork(T2)\nT2|w(y)\nT1|w(y)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)"), "HWDw");
  // Its access may come before its section.
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rel(m)\nT2|w(x)\nT2|acq(m)\nT2|rel(m)"), "HWDw");
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rel(m)\nT2|acq(n)\nT2|rel(n)\nT2|w(x)"), "HWDw");
}
TEST(HardOrder, OutOfASectionReachesWhoeverComesAfterIt) {
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT2|fork(T3)\nT1|w(x)\nT1|rel(m)\nT3|acq(m)\nT3|rel(m)\nT3|w(x)"), "");
  EXPECT_EQ(
      racy("T1|acq(m)\nT1|store.release(a)\nT1|w(x)\nT1|rel(m)\nT2|load.acquire(a)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"),
      "");
  EXPECT_EQ(
      racy("T1|acq(m)\nT1|store.relaxed(a)\nT1|w(x)\nT1|rel(m)\nT2|load.acquire(a)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"),
      "WDw");
  EXPECT_EQ(
      racy("T1|acq(m)\nT1|arrive(b)\nT2|arrive(b)\nT2|leave(b)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"),
      "");
  // T2 is joined in a section on m, and knows that another section on m has begun.
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rel(m)\nT3|acq(m)\nT3|join(T2)\nT3|rel(m)\nT3|w(x)"), "");
}
TEST(HardOrder, OutOfAReadersSectionIsForWriters) {
  EXPECT_EQ(racy("T1|racq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rrel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"), "");
  EXPECT_EQ(racy("T1|racq(m)\nT1|fork(T2)\nT1|w(x)\nT1|rrel(m)\nT2|racq(m)\nT2|rrel(m)\nT2|w(x)"), "HWDw");
}
TEST(HardOrder, OutOfASectionEndsAtAWait) {
  EXPECT_EQ(racy("T1|acq(m)\nT1|fork(T2)\nT1|w(x)\nT1|wait(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"), "");
  EXPECT_EQ(racy("T1|acq(m)\nT1|wait(m)\nT1|wake(m)\nT1|fork(T2)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"),
            "");
  EXPECT_EQ(racy("T1|acq(m)\nT1|acq(m)\nT1|fork(T2)\nT1|rel(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)"),
            "");
}

// The end of T2's section is before the join. It is not before the start of the section around the join: T1's section
// may be first, and T1 accesses x while T2 does. Then both wait for ever.
TEST(HardOrder, OfAJoinInASectionIsNotBeforeTheSection) {
  constexpr const char* kText =
      "T1|fork(T2)\nT2|w(x)\nT2|acq(m)\nT2|rel(m)\nT1|acq(m)\nT1|w(x)\nT1|join(T2)\nT1|rel(m)\nT1|r(x)";
  EXPECT_EQ(racy(kText), "WDw");
  EXPECT_EQ(predictable(kText, Notion::Ca), (std::vector<Pair>{{1, 5}}));
  EXPECT_TRUE(ReorderingSearch(trace_of(kText), Notion::Lw).deadlock());
}

TEST(HardOrder, OfABarrier) {
  EXPECT_EQ(racy("T1|w(x)\nT1|arrive(b)\nT2|arrive(b)\nT1|leave(b)\nT2|leave(b)\nT2|w(x)"), "");
  // A thread that has arrived but not left is not ordered yet.
  EXPECT_EQ(racy("T1|w(x)\nT1|arrive(b)\nT2|arrive(b)\nT2|w(x)\nT2|leave(b)"), "HWDw");
  // A leave is not ordered before another thread's leave.
  EXPECT_EQ(racy("T1|arrive(b)\nT2|arrive(b)\nT1|leave(b)\nT1|w(x)\nT2|leave(b)\nT2|w(x)"), "HWDw");
}

TEST(HardOrder, OfBarrierRoundsWithAFastThread) {
  // T1 passes round 0 and arrives in round 1 before T2 has left round 0.
  constexpr const char* kText =
      "T1|arrive(b)\nT2|arrive(b)\nT1|leave(b)\nT1|w(x)\nT1|arrive(b)\nT2|leave(b)\nT2|w(x)\nT2|arrive(b)\n"
      "T1|leave(b)\nT2|leave(b)\nT2|r(y)";
  EXPECT_EQ(racy(kText), "HWDw") << "T1's second arrive is not before T2's first leave";
  const Trace trace = trace_of(kText);
  const RelationOracle oracle(trace);
  EXPECT_FALSE(oracle.ordered(Relation::To, 4, 5));
  EXPECT_TRUE(oracle.ordered(Relation::To, 4, 9));
  EXPECT_TRUE(oracle.ordered(Relation::To, 7, 8));
  EXPECT_TRUE(oracle.ordered(Relation::To, 1, 2));
}

TEST(HardOrder, OfABarrierHoldsInReorderings) {
  constexpr const char* kText = "T1|w(x)\nT1|arrive(b)\nT2|arrive(b)\nT1|leave(b)\nT2|leave(b)\nT2|w(x)";
  EXPECT_EQ(predictable(kText, Notion::Lw), kNone);
  EXPECT_EQ(predictable(kText, Notion::Ca), kNone);
}

// ---- Atomics.

/// T1 writes x and does `give`; T2 does `take` and writes x. True: ordered in all relations; false: in none.
bool publishes(const std::string& give, const std::string& take) {
  const std::string letters = racy("T1|w(x)\n" + give + "\n" + take + "\nT2|w(x)");
  EXPECT_TRUE(letters.empty() || letters == "HWDw") << letters;
  return letters.empty();
}

TEST(Atomics, AReleaseOrdersTheAcquireThatReadsFromIt) {
  for (const char* store :
       {"store.release(a)", "store.seq_cst(a)", "rmw.release(a)", "rmw.acq_rel(a)", "rmw.seq_cst(a)"}) {
    for (const char* load :
         {"load.acquire(a)", "load.seq_cst(a)", "rmw.acquire(a)", "rmw.acq_rel(a)", "rmw.seq_cst(a)"}) {
      EXPECT_TRUE(publishes(std::string("T1|") + store, std::string("T2|") + load)) << store << ' ' << load;
    }
  }
}

TEST(Atomics, RelaxedOnesOrderNothing) {
  EXPECT_FALSE(publishes("T1|store.relaxed(a)", "T2|load.acquire(a)"));
  EXPECT_FALSE(publishes("T1|store.release(a)", "T2|load.relaxed(a)"));
  EXPECT_FALSE(publishes("T1|rmw.acquire(a)", "T2|rmw.acq_rel(a)"));
  EXPECT_FALSE(publishes("T1|rmw.acq_rel(a)", "T2|rmw.release(a)"));
  EXPECT_FALSE(publishes("T1|store.release(a)", "T2|load.acquire(b)"));
}

TEST(Atomics, ConflictForRuleA) {
  const auto handed_over = [](const char* first, const char* second) {
    return racy(std::string("T1|w(x)\nT1|acq(m)\nT1|") + first + "\nT1|rel(m)\nT2|acq(m)\nT2|" + second +
                "\nT2|rel(m)\nT2|r(x)");
  };
  EXPECT_EQ(handed_over("store.relaxed(a)", "load.relaxed(a)"), "");
  EXPECT_EQ(handed_over("load.relaxed(a)", "store.relaxed(a)"), "");
  EXPECT_EQ(handed_over("rmw.relaxed(a)", "rmw.relaxed(a)"), "");
  EXPECT_EQ(handed_over("load.relaxed(a)", "load.relaxed(a)"), "WDw");
  EXPECT_EQ(handed_over("store.relaxed(a)", "store.relaxed(b)"), "WDw");
  // Sections of readers are not rivals; without sections there is no order.
  EXPECT_EQ(
      racy("T1|w(x)\nT1|racq(m)\nT1|rmw.relaxed(a)\nT1|rrel(m)\nT2|racq(m)\nT2|rmw.relaxed(a)\nT2|rrel(m)\nT2|r(x)"),
      "HWDw");
  EXPECT_EQ(racy("T1|w(x)\nT1|rmw.relaxed(a)\nT2|rmw.relaxed(a)\nT2|r(x)"), "HWDw");
}

TEST(Atomics, OrderOnlyWhatIsRead) {
  EXPECT_FALSE(publishes("T1|store.release(a)", "T2|store.release(a)"));
  EXPECT_FALSE(publishes("T1|load.acquire(a)", "T2|load.acquire(a)"));
  EXPECT_FALSE(publishes("T1|store.release(a)\nT3|store.relaxed(a)", "T2|load.acquire(a)")) << "overwritten";
}

TEST(Atomics, AReleaseSequenceGoesThroughRmws) {
  EXPECT_TRUE(publishes("T1|store.release(a)\nT3|rmw.relaxed(a)", "T2|load.acquire(a)"));
  EXPECT_TRUE(publishes("T1|rmw.release(a)\nT3|rmw.relaxed(a)\nT4|rmw.acquire(a)", "T2|load.acquire(a)"));
  EXPECT_FALSE(publishes("T1|store.release(a)\nT3|rmw.relaxed(a)\nT3|store.relaxed(a)", "T2|load.acquire(a)"));
  // C++20: a plain store of the same thread ends the sequence too.
  EXPECT_FALSE(publishes("T1|store.release(a)\nT1|fence.acquire\nT1|store.relaxed(a)", "T2|load.acquire(a)"));
}

TEST(Atomics, FencesLendTheirOrderToRelaxedAccesses) {
  EXPECT_TRUE(publishes("T1|fence.release\nT1|store.relaxed(a)", "T2|load.acquire(a)"));
  EXPECT_TRUE(publishes("T1|store.release(a)", "T2|load.relaxed(a)\nT2|fence.acquire"));
  EXPECT_TRUE(publishes("T1|fence.seq_cst\nT1|store.relaxed(a)", "T2|load.relaxed(a)\nT2|fence.acq_rel"));
  EXPECT_FALSE(publishes("T1|fence.acquire\nT1|store.relaxed(a)", "T2|load.relaxed(a)\nT2|fence.acquire"));
  EXPECT_FALSE(publishes("T1|fence.release\nT1|store.relaxed(a)", "T2|load.relaxed(a)\nT2|fence.release"));
  EXPECT_FALSE(publishes("T1|store.relaxed(a)\nT1|fence.release", "T2|load.acquire(a)"))
      << "a fence that comes too late";
  EXPECT_FALSE(publishes("T1|store.release(a)", "T2|fence.acquire\nT2|load.relaxed(a)"))
      << "a fence that comes too early";
  EXPECT_FALSE(publishes("T1|fence.seq_cst", "T2|fence.seq_cst")) << "fences alone order nothing";
}

TEST(Atomics, AFenceBeforeTheWriteIsWhereTheOrderBegins) {
  EXPECT_EQ(racy("T1|fence.release\nT1|w(x)\nT1|store.relaxed(a)\nT2|load.acquire(a)\nT2|w(x)"), "HWDw");
  EXPECT_TRUE(ordered_in_all("T1|fence.release\nT1|w(x)\nT1|store.relaxed(a)\nT2|load.acquire(a)", 0, 3));
}

TEST(Atomics, KeepTheirWritersInReorderings) {
  // Nothing orders the accesses to x, but T2 reaches its access only after it has read a value that T1 stored after its
  // own.
  constexpr const char* kText = "T1|w(x)\nT1|store.relaxed(a)\nT2|load.relaxed(a)\nT2|w(x)";
  EXPECT_EQ(racy(kText), "HWDw");
  EXPECT_EQ(predictable(kText, Notion::Lw), kNone);
  EXPECT_EQ(predictable(kText, Notion::Ca), kNone);
}

TEST(Atomics, StoresMayChangePlacesUnderLwAlone) {
  constexpr const char* kText = "T1|w(x)\nT1|store.relaxed(a)\nT2|store.relaxed(a)\nT2|w(x)";
  EXPECT_EQ(predictable(kText, Notion::Lw), (std::vector<Pair>{{0, 3}}));
  EXPECT_EQ(predictable(kText, Notion::Ca), kNone);
}

// ---- Lives.

TEST(Lives, AnAllocationStartsANewOne) {
  EXPECT_EQ(racy("T1|w(x)\nT2|w(x)"), "HWDw");
  EXPECT_EQ(racy("T1|w(x)\nT2|alloc(x)\nT2|w(x)"), "");
  EXPECT_EQ(predictable("T1|w(x)\nT2|alloc(x)\nT2|w(x)", Notion::Lw), kNone);
}

TEST(Lives, AFreeIsAWrite) {
  EXPECT_EQ(racy("T1|r(x)\nT2|free(x)"), "HWDw");
  EXPECT_EQ(racy("T1|free(x)\nT2|r(x)"), "HWDw") << "use after free";
  EXPECT_EQ(racy("T1|acq(m)\nT1|r(x)\nT1|rel(m)\nT2|acq(m)\nT2|free(x)\nT2|rel(m)"), "");
  EXPECT_EQ(racy("T1|r(x)\nT1|free(x)\nT2|alloc(x)\nT2|free(x)"), "");
}

TEST(Lives, DoNotCountForRuleA) {
  EXPECT_EQ(racy("T1|w(y)\nT1|acq(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|alloc(x)\nT2|w(x)\nT2|rel(m)\nT2|w(y)"), "WDw");
}

TEST(Lives, DoNotMixInReorderings) {
  // Both accesses need the allocation, and so T1's events before it.
  EXPECT_EQ(predictable("T1|w(y)\nT1|alloc(x)\nT2|w(x)\nT3|w(x)\nT3|w(y)", Notion::Lw), (std::vector<Pair>{{2, 3}}));
  // A read at the start of a life sees no writer, whatever an earlier life wrote.
  EXPECT_EQ(predictable("T1|w(x)\nT2|alloc(x)\nT2|r(x)\nT2|w(y)\nT1|w(y)", Notion::Lw), (std::vector<Pair>{{3, 4}}));
}

// ---- Reorderings.

/// Conflicting accesses that even WDC orders, and that LW admits (a write that is not read need not keep its order).
TEST(Reorderings, LwAdmitsPairsThatNoRelationSees) {
  constexpr const char* kText = "T2|r(x)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)\nT0|acq(m)\nT0|w(x)\nT0|rel(m)\nT0|r(x)";
  EXPECT_EQ(racy(kText), "");
  EXPECT_EQ(predictable(kText, Notion::Lw), (std::vector<Pair>{{0, 5}, {2, 7}}));
  EXPECT_EQ(predictable(kText, Notion::Ca), kNone);
}

// WCP's first race is z, which no schedule shows: T1's section on m has to come first, so T2 has m while T1 has l, and
// takes l before it accesses z. But T1 may hold l while T2 holds m.
TEST(Reorderings, AFirstWcpRaceMayBeADeadlock) {
  constexpr const char* kText =
      "T1|acq(l)\nT1|acq(m)\nT1|rel(m)\nT1|r(z)\nT1|rel(l)\nT2|acq(m)\nT2|acq(n)\nT2|acq(l)\nT2|rel(l)\nT2|rel(n)\nT2|"
      "w(z)\nT2|rel(m)";
  EXPECT_EQ(racy(kText), "WDw");
  EXPECT_EQ(predictable(kText, Notion::Lw), kNone);
  EXPECT_TRUE(ReorderingSearch(trace_of(kText), Notion::Lw).deadlock());
  EXPECT_FALSE(ReorderingSearch(trace_of("T1|acq(l)\nT1|rel(l)\nT2|acq(l)\nT2|rel(l)"), Notion::Lw).deadlock());
}

TEST(Reorderings, AnUnstartedThreadRunsOnlyAfterItsFork) {
  EXPECT_EQ(predictable("T1|w(x)\nT1|fork(T2)\nT2|w(x)", Notion::Lw), kNone);
  EXPECT_EQ(predictable("T1|fork(T2)\nT1|w(x)\nT2|w(x)", Notion::Lw), (std::vector<Pair>{{1, 2}}));
}

TEST(Reorderings, OfATraceWithoutEvents) {
  EXPECT_EQ(predictable("", Notion::Lw), kNone);
  EXPECT_EQ(racy(""), "");
}

}  // namespace
}  // namespace omen::judges
