/// \file
/// Traces on which a faithful reading of a published algorithm, or a tempting shortcut, gives a wrong answer. The
/// definitions judge each; each names the mistake.
#include <gtest/gtest.h>

#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"
#include "test/analysis/relation_names.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"

namespace omen {
namespace {

/// Checks that every analysis has its first race at the definition's; returns the definition's verdict for one
/// relation.
std::optional<std::size_t> first_race(const char* text, judges::Relation relation) {
  const Trace trace = judges::trace_of(text);
  const judges::RelationOracle oracle(trace);
  for (const AnalysisInfo& info : all_analyses()) {
    for (const Tuning tuning : {Tuning{}, Tuning{.first_collection = 0}}) {
      RaceList races;
      info.make(races, tuning)->run(trace.events);
      const auto first =
          races.entries().empty() ? std::nullopt : std::optional(index(races.entries().front().access.site.event));
      EXPECT_EQ(first, oracle.races(relation_of(info)).first) << info.name;
    }
  }
  return oracle.races(relation).first;
}

// Keeping one WCP clock whose own component is the local time loses order that travels T0 → T1 → T0 → T2.
TEST(Pitfalls, WcpOrderThatComesBackToItsThread) {
  EXPECT_EQ(
      first_race("T0|w(x)|\nT0|acq(a)|\nT1|acq(b)|\nT0|r(y)|\nT0|w(y)|\nT0|rel(a)|\nT1|acq(a)|\nT1|r(y)|\nT1|w(y)|\n"
                 "T1|rel(a)|\nT1|rel(b)|\nT0|acq(b)|\nT0|rel(b)|\nT2|acq(b)|\nT2|r(x)|\nT2|rel(b)|\n",
                 judges::Relation::Wcp),
      std::nullopt);
}

// [Write Shared] in one pass over the readers judges T1's read before it has joined T3's section, which orders it.
TEST(Pitfalls, WriteSharedJudgesAfterAllJoins) {
  EXPECT_EQ(
      first_race("T1|acq(m)|\nT1|r(x)|\nT1|acq(o)|\nT1|r(y)|\nT1|w(y)|\nT1|rel(o)|\nT3|acq(o)|\nT3|r(y)|\nT3|w(y)|\n"
                 "T3|rel(o)|\nT3|acq(n)|\nT3|r(x)|\nT3|rel(n)|\nT2|acq(n)|\nT2|w(x)|\nT2|rel(n)|\nT1|rel(m)|\n",
                 judges::Relation::Wdc),
      std::nullopt);
}

// [Read Shared Owned] as printed takes no order from the last write's sections. T1's second read of x holds m, its
// first did not: rule (a) orders T0's release of m, and so w(z), before it.
TEST(Pitfalls, ReadSharedOwnedHoldsALockThatTheFirstReadDidNot) {
  EXPECT_EQ(
      first_race("T0|acq(m)|\nT0|w(x)|\nT0|acq(o)|\nT0|r(y)|\nT0|w(y)|\nT0|rel(o)|\nT1|acq(o)|\nT1|r(y)|\nT1|w(y)|\n"
                 "T1|rel(o)|\nT1|r(x)|\nT0|w(z)|\nT0|rel(m)|\nT1|acq(m)|\nT1|r(x)|\nT1|rel(m)|\nT1|w(z)|\n",
                 judges::Relation::Wdc),
      std::nullopt);
}

// Thread order is not WCP. T0 writes x in n, then outside, then forks T1, which writes x in n. Rule (a) makes T0's
// section on n, and T2's w(y) that is HB-before it, WCP-before T1's write. A level that forgets T0's first write
// reports w(y).
TEST(Pitfalls, OwnSectionBeforeAForkWrite) {
  EXPECT_EQ(first_race(
                "T2|w(y)|\nT2|acq(k)|\nT2|rel(k)|\nT0|acq(k)|\nT0|rel(k)|\nT0|acq(n)|\nT0|w(x)|\nT0|rel(n)|\nT0|w(x)|\n"
                "T0|fork(T1)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|w(y)|\n",
                judges::Relation::Wcp),
            std::nullopt);
}

// The same with a read in place of the forgotten write's successor.
TEST(Pitfalls, OwnSectionBeforeAForkRead) {
  EXPECT_EQ(first_race(
                "T2|w(y)|\nT2|acq(k)|\nT2|rel(k)|\nT0|acq(k)|\nT0|rel(k)|\nT0|acq(n)|\nT0|r(x)|\nT0|rel(n)|\nT0|r(x)|\n"
                "T0|fork(T1)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|w(y)|\n",
                judges::Relation::Wcp),
            std::nullopt);
}

// … and with the reads shared, so that T0's second read replaces its first in the vector.
TEST(Pitfalls, OwnSectionBeforeAForkSharedRead) {
  EXPECT_EQ(first_race("T2|w(y)|\nT2|acq(k)|\nT2|rel(k)|\nT0|acq(k)|\nT0|rel(k)|\nT3|r(x)|\nT0|acq(n)|\nT0|r(x)|\nT0|"
                       "rel(n)|\nT0|r(x)|\n"
                       "T0|join(T3)|\nT0|fork(T1)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|w(y)|\n",
                       judges::Relation::Wcp),
            std::nullopt);
}

// A fork inside a section: the child's section comes after it. T0's section on n began in it, which orders n's sections
// by rule (b) of DC, but not by that of WCP, which does not count TO. So a WCP race need not be a DC race.
TEST(Pitfalls, ForkInsideASectionSeparatesWcpFromDc) {
  EXPECT_EQ(first_race("T0|acq(m)|\nT0|fork(T1)|\nT0|w(x)|\nT0|rel(m)|\nT1|acq(m)|\nT1|rel(m)|\nT1|w(x)|\n",
                       judges::Relation::Wcp),
            std::nullopt);
  const char* text =
      "T0|acq(m)|\nT0|fork(T1)|\nT0|acq(n)|\nT0|rel(m)|\nT0|w(x)|\nT0|rel(n)|\nT1|acq(m)|\nT1|rel(m)|\nT1|acq(n)|\n"
      "T1|rel(n)|\nT1|w(x)|\n";
  EXPECT_EQ(first_race(text, judges::Relation::Wcp), 10U);
  EXPECT_EQ(first_race(text, judges::Relation::Dc), std::nullopt);
}

// A thread also learns of the open sections that its source has learned of: T2 has never synchronised with T0.
TEST(Pitfalls, AnOpenSectionIsPassedOn) {
  EXPECT_EQ(first_race("T0|acq(m)|\nT0|store.release(a)|\nT1|load.acquire(a)|\nT1|fork(T2)|\nT0|w(x)|\nT0|rel(m)|\n"
                       "T2|acq(m)|\nT2|rel(m)|\nT2|w(x)|\n",
                       judges::Relation::Wdc),
            std::nullopt);
}

// A single epoch for each atomic, as for variables, forgets the reader T0: nothing orders its section before T1's, and
// only the writer T2 comes after both.
TEST(Pitfalls, AtomicsHaveReadersThatAreNotOrdered) {
  EXPECT_EQ(
      first_race("T0|w(x)|\nT0|acq(m)|\nT0|load.relaxed(a)|\nT0|rel(m)|\nT1|acq(m)|\nT1|load.relaxed(a)|\nT1|rel(m)|\n"
                 "T2|acq(m)|\nT2|store.relaxed(a)|\nT2|rel(m)|\nT2|w(x)|\n",
                 judges::Relation::Wdc),
      std::nullopt);
}

// Hand-over-hand locking: the outer section ends before the inner one, so it subsumes nothing.
TEST(Pitfalls, SectionsThatOverlapWithoutNesting) {
  EXPECT_EQ(first_race(
                "T0|acq(m)|\nT0|acq(n)|\nT0|w(x)|\nT0|rel(m)|\nT0|w(z)|\nT0|rel(n)|\nT1|acq(m)|\nT1|acq(n)|\nT1|w(x)|\n"
                "T1|w(z)|\nT1|rel(n)|\nT1|rel(m)|\n",
                judges::Relation::Wdc),
            std::nullopt);
}

// T1 writes x in n, and reads it in n again. For writers its second section subsumes the first, but no reader is
// ordered after the second. A level that forgets the first when T2 writes reports w(y).
TEST(Pitfalls, AReadInALaterSectionIsNotTheWrite) {
  EXPECT_EQ(first_race("T0|w(y)|\nT0|acq(k)|\nT0|rel(k)|\nT1|acq(k)|\nT1|rel(k)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|"
                       "acq(n)|\nT1|r(x)|\n"
                       "T1|rel(n)|\nT1|fork(T2)|\nT2|w(x)|\nT2|fork(T3)|\nT3|acq(n)|\nT3|r(x)|\nT3|rel(n)|\nT3|r(y)|\n",
                       judges::Relation::Wcp),
            std::nullopt);
}

// The same where T1 itself writes next.
TEST(Pitfalls, AReadInALaterSectionIsNotTheOwnWrite) {
  EXPECT_EQ(first_race("T0|w(y)|\nT0|acq(k)|\nT0|rel(k)|\nT1|acq(k)|\nT1|rel(k)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|"
                       "acq(n)|\nT1|r(x)|\n"
                       "T1|rel(n)|\nT1|w(x)|\nT1|fork(T3)|\nT3|acq(n)|\nT3|r(x)|\nT3|rel(n)|\nT3|r(y)|\n",
                       judges::Relation::Wcp),
            std::nullopt);
}

// … and where another thread has read too.
TEST(Pitfalls, AReadInALaterSectionIsNotTheWriteAmongReaders) {
  EXPECT_EQ(
      first_race(
          "T0|w(y)|\nT0|acq(k)|\nT0|rel(k)|\nT1|acq(k)|\nT1|rel(k)|\nT1|acq(n)|\nT1|w(x)|\nT1|rel(n)|\nT1|acq(n)|\nT1|"
          "r(x)|\n"
          "T1|rel(n)|\nT1|fork(T2)|\nT2|r(x)|\nT2|w(x)|\nT2|fork(T3)|\nT3|acq(n)|\nT3|r(x)|\nT3|rel(n)|\nT3|r(y)|\n",
          judges::Relation::Wcp),
      std::nullopt);
}

}  // namespace
}  // namespace omen
