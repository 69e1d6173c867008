/// \file
/// Each rule of trace/well_formed.hpp: what is rejected, on which line, with which text; and what is allowed.
#include "trace/well_formed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/formats/format.hpp"
#include "trace/trace.hpp"

namespace omen {
namespace {

std::string check(const std::string& text) {
  const auto trace = load(read_std(text, "t.std"));
  return trace ? "well formed" : trace.error().text();
}

struct Case {
  std::string name;
  std::string text;
  std::string verdict;
};

class WellFormed : public testing::TestWithParam<Case> {};

TEST_P(WellFormed, Verdict) {
  EXPECT_EQ(check(GetParam().text), GetParam().verdict);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Refused, WellFormed,
    testing::Values(
        Case{"AcquireOfHeldLock", "A|acq(m)|1\nB|acq(m)|2\n",
             "t.std:2: expected lock 'm' to be free; thread 'A' holds it"},
        Case{"AcquireOfSharedLock", "A|racq(m)|1\nB|acq(m)|2\n",
             "t.std:2: expected lock 'm' to be free; thread 'A' holds it shared"},
        Case{"UpgradeOfOwnSharedLock", "A|racq(m)|1\nA|acq(m)|2\n",
             "t.std:2: expected lock 'm' to be free; thread 'A' holds it shared"},
        Case{"SharedAcquireOfHeldLock", "A|acq(m)|1\nB|racq(m)|2\n",
             "t.std:2: expected lock 'm' not to be held exclusively; thread 'A' holds it so"},
        Case{"ReleaseOfFreeLock", "A|rel(m)|1\n",
             "t.std:1: expected a lock that thread 'A' holds; it does not hold 'm'"},
        Case{"ReleaseOfAnothersLock", "A|acq(m)|1\nB|rel(m)|2\n",
             "t.std:2: expected a lock that thread 'B' holds; it does not hold 'm'"},
        Case{"ReleaseInTheOtherMode", "A|racq(m)|1\nA|rel(m)|2\n",
             "t.std:2: expected a lock that thread 'A' holds; it does not hold 'm'"},
        Case{"SharedReleaseOfFreeLock", "A|rrel(m)|1\n",
             "t.std:1: expected a lock that thread 'A' holds shared; it does not hold 'm' so"},
        Case{"SharedReleaseInTheOtherMode", "A|acq(m)|1\nA|rrel(m)|2\n",
             "t.std:2: expected a lock that thread 'A' holds shared; it does not hold 'm' so"},
        Case{"OneReleaseTooMany", "A|acq(m)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(m)|4\nA|rel(m)|5\n",
             "t.std:5: expected a lock that thread 'A' holds; it does not hold 'm'"},
        Case{"OneSharedReleaseTooMany", "A|racq(m)|1\nA|racq(m)|2\nA|rrel(m)|3\nA|rrel(m)|4\nA|rrel(m)|5\n",
             "t.std:5: expected a lock that thread 'A' holds shared; it does not hold 'm' so"},
        Case{"WaitWithoutTheLock", "A|wait(m)|1\n",
             "t.std:1: expected a wait to give up a lock that thread 'A' holds; it does not hold 'm'"},
        Case{"WaitWithASharedLock", "A|racq(m)|1\nA|wait(m)|2\n",
             "t.std:2: expected a wait to give up a lock that thread 'A' holds; it does not hold 'm'"},
        Case{"AccessWhileWaiting", "A|acq(m)|1\nA|wait(m)|2\nA|r(x)|3\n",
             "t.std:3: expected thread 'A' to wake from its wait for lock 'm' before it does anything else"},
        Case{"WakeForAnotherLock", "A|acq(m)|1\nA|wait(m)|2\nA|wake(n)|3\n",
             "t.std:3: expected thread 'A' to wake from its wait for lock 'm' before it does anything else"},
        Case{"WakeOfHeldLock", "A|acq(m)|1\nA|wait(m)|2\nB|acq(m)|3\nA|wake(m)|4\n",
             "t.std:4: expected lock 'm' to be free; thread 'B' holds it"},
        Case{"WakeOfSharedLock", "A|acq(m)|1\nA|wait(m)|2\nB|racq(m)|3\nA|wake(m)|4\n",
             "t.std:4: expected lock 'm' to be free; thread 'B' holds it"},
        Case{"WakeWithoutWait", "A|wake(m)|1\n",
             "t.std:1: expected a wait for lock 'm' before this wake of thread 'A'"},
        Case{"ForkOfItself", "A|fork(A)|1\n", "t.std:1: expected thread 'A' to fork another thread, not itself"},
        Case{"ForkTwice", "A|fork(B)|1\nA|fork(B)|2\n",
             "t.std:2: expected a fork of a new thread, not of 'B': it was forked before"},
        Case{"ForkOfARunningThread", "B|r(x)|1\nA|fork(B)|2\n",
             "t.std:2: expected a fork of a new thread, not of 'B': it has run before"},
        Case{"ForkOfAnEndedThread", "B|end|1\nA|fork(B)|2\n",
             "t.std:2: expected a fork of a new thread, not of 'B': it has run before"},
        Case{"ForkOfAJoinedThread", "A|join(B)|1\nA|fork(B)|2\n",
             "t.std:2: expected a fork of a new thread, not of 'B': it was joined before"},
        Case{"JoinOfItself", "A|join(A)|1\n", "t.std:1: expected thread 'A' to join another thread, not itself"},
        Case{"JoinOfAWaitingThread", "B|acq(m)|1\nB|wait(m)|2\nA|join(B)|3\n",
             "t.std:3: expected a join of a thread that can end; 'B' still waits for lock 'm'"},
        Case{"EventAfterJoin", "B|r(x)|1\nA|join(B)|2\nB|r(x)|3\n",
             "t.std:3: expected nothing more of thread 'B', which has been joined"},
        Case{"EventAfterEnd", "A|end|1\nA|r(x)|2\n", "t.std:2: expected nothing more of thread 'A', which has ended"},
        Case{"BeginAfterAnEvent", "A|r(x)|1\nA|begin|2\n",
             "t.std:2: expected begin to be the first event of thread 'A'"},
        Case{"BeginTwice", "A|begin|1\nA|begin|2\n", "t.std:2: expected begin to be the first event of thread 'A'"},
        Case{"LeaveWithoutArrive", "A|leave(b)|1\n",
             "t.std:1: expected thread 'A' to arrive at barrier 'b' before it leaves"},
        Case{"LeaveTwice", "A|arrive(b)|1\nA|leave(b)|2\nA|leave(b)|3\n",
             "t.std:3: expected thread 'A' to arrive at barrier 'b' before it leaves"},
        Case{"LeaveOfAnothersArrive", "A|arrive(b)|1\nB|leave(b)|2\n",
             "t.std:2: expected thread 'B' to arrive at barrier 'b' before it leaves"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Allowed, WellFormed,
    testing::Values(
        Case{"Empty", "", "well formed"}, Case{"ThreadWithoutForkOrBegin", "A|r(x)|1\nB|w(x)|2\n", "well formed"},
        Case{"WholeLife", "A|fork(B)|1\nB|begin|2\nB|r(x)|3\nB|end|4\nA|join(B)|5\n", "well formed"},
        Case{"JoinWithoutEnd", "B|r(x)|1\nA|join(B)|2\n", "well formed"},
        Case{"JoinOfAThreadThatNeverRan", "A|fork(B)|1\nA|join(B)|2\n", "well formed"},
        Case{"SeveralJoins", "B|r(x)|1\nA|join(B)|2\nC|join(B)|3\n", "well formed"},
        Case{"RecursiveLock", "A|acq(m)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(m)|4\nB|acq(m)|5\n", "well formed"},
        Case{"RecursiveSharedLock",
             "A|racq(m)|1\nA|racq(m)|2\nB|racq(m)|3\nA|rrel(m)|4\nA|rrel(m)|5\nB|rrel(m)|6\nC|acq(m)|7\n",
             "well formed"},
        Case{"ReleaseInAnyOrder", "A|acq(m)|1\nA|acq(n)|2\nA|rel(m)|3\nA|rel(n)|4\n", "well formed"},
        Case{"EndWhileHolding", "A|acq(m)|1\nA|end|2\n", "well formed"},
        Case{"WaitAtDepthTwo",
             "A|acq(m)|1\nA|acq(m)|2\nA|wait(m)|3\nB|acq(m)|4\nB|rel(m)|5\nA|wake(m)|6\nA|rel(m)|7\nA|rel(m)|8\n",
             "well formed"},
        Case{"BarrierTwice", "A|arrive(b)|1\nB|arrive(b)|2\nA|leave(b)|3\nA|arrive(b)|4\nB|leave(b)|5\nA|leave(b)|6\n",
             "well formed"},
        Case{"TraceEndsAnywhere", "A|acq(m)|1\nA|wait(m)|2\n", "well formed"},
        Case{"SameNameOfEveryKind", "m|acq(m)|1\nm|r(m)|2\nm|arrive(m)|3\nm|store.release(m)|4\n", "well formed"}),
    name_of);

TEST(WellFormedNested, FlagsAreSetOnInnerAcquiresAndReleases) {
  const auto trace =
      load(read_std("A|acq(m)|1\nA|acq(m)|2\nA|r(x)|3\nA|rel(m)|4\nA|rel(m)|5\n"
                    "A|racq(n)|6\nA|racq(n)|7\nA|rrel(n)|8\nA|rrel(n)|9\n"));
  ASSERT_TRUE(trace);
  std::vector<bool> nested;
  for (const Event& event : trace->events) nested.push_back(event.nested);
  EXPECT_EQ(nested, (std::vector<bool>{false, true, false, true, false, false, true, true, false}));
}

TEST(WellFormedNested, WakeRestoresTheDepth) {
  EXPECT_EQ(check("A|acq(m)|1\nA|acq(m)|2\nA|wait(m)|3\nA|wake(m)|4\nA|rel(m)|5\nB|acq(m)|6\n"),
            "t.std:6: expected lock 'm' to be free; thread 'A' holds it");
}

TEST(WellFormedPosition, LinesWithoutEventsCountAsLines) {
  EXPECT_EQ(check("# a comment\n\nA|r(x)|1\n\nA|rel(m)|2\n"),
            "t.std:5: expected a lock that thread 'A' holds; it does not hold 'm'");
}

TEST(WellFormedPosition, TheFirstErrorOfAFileIsReported) {
  // The second line is ill formed, the third is not an event.
  EXPECT_EQ(check("A|r(x)|1\nA|rel(m)|2\nnonsense\n"),
            "t.std:2: expected a lock that thread 'A' holds; it does not hold 'm'");
}

TEST(WellFormedPosition, NamesInMessagesAreShortAndPrintable) {
  const std::string verdict = check("A|rel(" + std::string(1000, 'm') + ")|1\n");
  EXPECT_LT(verdict.size(), 200U);
  EXPECT_EQ(check("A|rel(m\x1b[31m)|1\n"),
            "t.std:1: expected a lock that thread 'A' holds; it does not hold 'm\\x1b[31m'");
}

}  // namespace
}  // namespace omen
