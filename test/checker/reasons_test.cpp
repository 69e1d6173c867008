/// \file
/// Each clause of the definition, violated alone: the checker's message, and its step.
#include <gtest/gtest.h>

#include "checker/checker.hpp"
#include "test/judges/std_text.hpp"

namespace omen::checker {
namespace {

using Witness = std::vector<std::uint32_t>;

std::string refusal(const Trace& trace, const Witness& witness) {
  const auto accepted = accepts(trace, witness);
  if (accepted) return "accepted";
  return "step " + std::to_string(accepted.error().step) + ": " + accepted.error().reason;
}

std::string refusal(const char* text, const Witness& witness) {
  return refusal(judges::trace_of(text), witness);
}

constexpr const char* kFigure1 = R"(
  T1|w(x)
  T1|acq(m)
  T1|w(z)
  T1|rel(m)
  T2|acq(m)
  T2|r(y)
  T2|rel(m)
  T2|r(x))";

TEST(CheckerReasons, AcceptsTheReorderingOfFigure1) {
  EXPECT_EQ(refusal(kFigure1, {4, 5, 6, 0, 7}), "accepted");
  EXPECT_EQ(refusal(kFigure1, {4, 5, 6, 7, 0}), "accepted");
}

TEST(CheckerReasons, AWitnessEndsWithAPair) {
  EXPECT_EQ(refusal(kFigure1, {}), "step 0: a witness ends with a pair of events");
  EXPECT_EQ(refusal(kFigure1, {0}), "step 1: a witness ends with a pair of events");
  EXPECT_EQ(refusal(kFigure1, {0, 4}), "step 1: events 0 (T1|w(x)|) and 4 (T2|acq(m)|) do not conflict");
}

TEST(CheckerReasons, EventsAreOfTheTraceOnceAndInProgramOrder) {
  EXPECT_EQ(refusal(kFigure1, {4, 5, 6, 8, 7}), "step 3: the trace has no event 8");
  EXPECT_EQ(refusal(kFigure1, {~0U, 0}), "step 0: the trace has no event 4294967295");
  EXPECT_EQ(refusal(kFigure1, {4, 4, 0, 7}),
            "step 1: event 4 (T2|acq(m)|) is number 0 of its thread, expected number 1");
  EXPECT_EQ(refusal(kFigure1, {4, 6, 0, 7}),
            "step 1: event 6 (T2|rel(m)|) is number 2 of its thread, expected number 1");
}

TEST(CheckerReasons, LocksExclude) {
  EXPECT_EQ(refusal("T1|acq(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)", {0, 3, 1, 4}),
            "step 1: event 3 (T2|acq(m)|): expected lock 'm' to be free; thread 'T1' holds it");
  EXPECT_EQ(refusal("T1|racq(m)\nT1|w(x)\nT1|rrel(m)\nT2|racq(m)\nT2|w(x)\nT2|rrel(m)", {0, 3, 1, 4}), "accepted");
  EXPECT_EQ(refusal("T1|racq(m)\nT1|w(x)\nT1|rrel(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)", {0, 3, 1, 4}),
            "step 1: event 3 (T2|acq(m)|): expected lock 'm' to be free; thread 'T1' holds it shared");
}

TEST(CheckerReasons, WaitingGivesUpTheLockAndWakingNeedsIt) {
  constexpr const char* kWait = "T1|acq(m)\nT1|wait(m)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)\nT1|wake(m)\nT1|w(x)\nT1|rel(m)";
  EXPECT_EQ(refusal(kWait, {0, 1, 2, 5, 3, 6}),
            "step 3: event 5 (T1|wake(m)|): expected lock 'm' to be free; thread 'T2' holds it");
}

TEST(CheckerReasons, ForkedThreadsRunAfterTheirFork) {
  constexpr const char* kFork = "T1|w(x)\nT1|fork(T2)\nT2|w(x)";
  EXPECT_EQ(refusal(kFork, {0, 2}), "step 1: event 2 (T2|w(x)|) comes before the fork of its thread");
}

TEST(CheckerReasons, JoinsWaitForAllEvents) {
  constexpr const char* kJoin = "T2|w(x)\nT2|w(y)\nT1|join(T2)\nT1|w(x)";
  EXPECT_EQ(refusal(kJoin, {2, 0, 3}),
            "step 0: event 2 (T1|join(T2)|) joins a thread that has not done all its events");
  // A thread without events is joined after its fork.
  EXPECT_EQ(refusal("T0|fork(T2)\nT1|join(T2)\nT1|w(x)\nT3|w(x)", {1, 2, 3}),
            "step 0: event 1 (T1|join(T2)|) joins a thread that has not done all its events");
}

TEST(CheckerReasons, BarriersWaitForTheirRound) {
  constexpr const char* kBarrier = "T1|w(x)\nT1|arrive(b)\nT2|arrive(b)\nT2|leave(b)\nT2|w(x)\nT1|leave(b)";
  EXPECT_EQ(refusal(kBarrier, {2, 3, 0, 4}), "step 1: event 3 (T2|leave(b)|) leaves its barrier after 1 of 2 arrivals");
}

TEST(CheckerReasons, ReadsKeepTheirWriterExceptTheRacingOne) {
  constexpr const char* kReads = "T1|w(y)\nT2|r(y)\nT2|w(x)\nT3|r(x)\nT1|w(x)";
  EXPECT_EQ(refusal(kReads, {1, 2, 3}),
            "step 0: event 1 (T2|r(y)|) sees no earlier event; in the trace it sees event 0 (T1|w(y)|)");
  EXPECT_EQ(refusal(kReads, {0, 3, 4}), "accepted");  // the racing read does not see event 2
  EXPECT_EQ(refusal("T1|store.release(a)\nT2|rmw.relaxed(a)\nT2|w(x)\nT3|w(x)", {1, 2, 3}),
            "step 0: event 1 (T2|rmw.relaxed(a)|) sees no earlier event; in the trace it sees event 0 "
            "(T1|store.release(a)|)");
}

TEST(CheckerReasons, LivesDoNotMix) {
  constexpr const char* kLives = "T1|w(x)\nT2|alloc(x)\nT2|w(x)\nT3|r(x)";
  EXPECT_EQ(refusal(kLives, {1, 2, 3}), "accepted");
  EXPECT_EQ(refusal(kLives, {0, 3}),
            "step 1: event 3 (T3|r(x)|) sees no earlier event; in the trace it sees event 1 "
            "(T2|alloc(x)|)");
  EXPECT_EQ(refusal(kLives, {1, 0, 2}),
            "step 1: event 0 (T1|w(x)|) sees event 1 (T2|alloc(x)|); in the trace it sees "
            "no earlier event");
}

}  // namespace
}  // namespace omen::checker
