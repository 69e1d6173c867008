/// \file
/// Conversion of raw recordings: order, variables, lives, mixed accesses, irregular locks, damage.
#include "capture/recording/convert.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>

#include "test/recording/raw_writer.hpp"
#include "trace/formats/format.hpp"
#include "trace/trace.hpp"

namespace omen::recording {
namespace {

using raw::RawOp;

class Convert : public testing::Test {
 protected:
  std::string path(const std::string& name) const {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    return (std::filesystem::temp_directory_path() /
            (std::string("omen-convert-") + info->name() + "-" + std::to_string(getpid()) + name))
        .string();
  }
  void TearDown() override {
    std::filesystem::remove(path(".raw"));
    std::filesystem::remove(path(".omen"));
  }

  /// The trace as text without locations, one event per line; also checks well-formedness.
  std::string converted(const RawWriter& raw) { return converted(raw.bytes()); }
  std::string converted(const std::string& raw) {
    std::ofstream(path(".raw"), std::ios::binary) << raw;
    const auto result = convert(path(".raw"), path(".omen"));
    if (!result) return "error: " + result.error().text();
    auto trace = load(std::move(*open_trace(path(".omen"))));
    if (!trace) return "error: " + trace.error().text();
    std::string text;
    for (const Event& event : trace->events) {
      const std::string line = to_text(event, trace->names);
      text += line.substr(0, line.rfind('|')) + "\n";
    }
    return text;
  }
};

TEST_F(Convert, SortsByNumberAcrossThreads) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Begin);
  raw.add(0, 2, RawOp::Fork, 1);
  raw.add(1, 3, RawOp::Begin);
  raw.add(1, 4, RawOp::Acquire, 0x100);
  raw.add(1, 4, RawOp::Write, 0x1000, 8);
  raw.add(1, 6, RawOp::Release, 0x100);
  raw.add(0, 5, RawOp::Read, 0x2000, 4);
  raw.add(0, 7, RawOp::Acquire, 0x100);
  raw.add(0, 8, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|begin\nmain|fork(T1)\nT1|begin\nT1|acq(0x100)\nT1|w(0x1000:8)\nmain|r(0x2000:4)\nT1|rel(0x100)\n"
            "main|acq(0x100)\nmain|rel(0x100)\n");
}

TEST_F(Convert, CutsMemoryWhereAnyAccessBeginsOrEnds) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::Read, 0x1004, 2);
  raw.add(0, 3, RawOp::Write, 0x2000, 0x20000);  // one access of many pages that nothing else cuts
  EXPECT_TRUE(converted(raw).starts_with(
      "main|w(0x1000:4)\nmain|w(0x1004:2)\nmain|w(0x1006:2)\nmain|r(0x1004:2)\nmain|w(0x2000:4096)\n"));
}

/// Allocating writes the block's first piece, freeing all of them: a use that is ordered after neither races with it.
TEST_F(Convert, ReusedMemoryBeginsANewLife) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Allocate, 0x1000, 16);
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::Free, 0x1000, 16);
  raw.add(1, 3, RawOp::Allocate, 0x1000, 16);
  raw.add(1, 3, RawOp::Write, 0x1000, 8);
  raw.add(1, 3, RawOp::Write, 0x1008, 8);
  EXPECT_EQ(converted(raw),
            "main|w(0x1000:8)\nmain|w(0x1000:8)\nmain|free(0x1000:8)\nmain|free(0x1008:8)\n"
            "T1|alloc(0x1000:8)\nT1|w(0x1000:8)\nT1|w(0x1000:8)\nT1|alloc(0x1008:8)\nT1|w(0x1008:8)\n");
}

/// The allocator's unused room at a block's end is not freed with the block.
TEST_F(Convert, FreeingWritesWhatWasAskedFor) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Allocate, 0x1000, 24);
  raw.add(0, 1, RawOp::Write, 0x1010, 8);
  raw.add(0, 2, RawOp::Free, 0x1000, 24);
  raw.add(1, 3, RawOp::Allocate, 0x1000, 16);
  raw.add(1, 4, RawOp::Free, 0x1000, 24);
  EXPECT_EQ(converted(raw), "main|w(0x1010:8)\nmain|free(0x1010:8)\n");
}

/// The hidden state behind a lock is one atomic; a new lock in the same memory has another one.
TEST_F(Convert, HiddenStateBelongsToALockAndItsLife) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(0, 2, RawOp::Opaque, 0x100);
  raw.add(0, 3, RawOp::Release, 0x100);
  raw.add(0, 4, RawOp::LockForget, 0x100);
  raw.add(1, 5, RawOp::Acquire, 0x100);
  raw.add(1, 6, RawOp::Opaque, 0x100);
  EXPECT_EQ(converted(raw),
            "main|acq(0x100)\nmain|load.relaxed(hidden state 0x100)\nmain|rmw.relaxed(hidden state 0x100)\n"
            "main|rel(0x100)\n"
            "T1|acq(0x100#1)\nT1|load.relaxed(hidden state 0x100#1)\nT1|rmw.relaxed(hidden state 0x100#1)\n");
}

/// Inlined code may read hidden state, without leaving instrumented code, even in a section before the first that
/// leaves.
TEST_F(Convert, EverySectionOfALockReadsWhatIsHiddenUnderIt) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(0, 2, RawOp::Release, 0x100);
  raw.add(1, 3, RawOp::Acquire, 0x100);
  raw.add(1, 4, RawOp::Opaque, 0x100);
  raw.add(1, 5, RawOp::Release, 0x100);
  raw.add(0, 6, RawOp::Acquire, 0x200);
  raw.add(0, 7, RawOp::Release, 0x200);
  EXPECT_EQ(converted(raw),
            "main|acq(0x100)\nmain|load.relaxed(hidden state 0x100)\nmain|rel(0x100)\n"
            "T1|acq(0x100)\nT1|load.relaxed(hidden state 0x100)\nT1|rmw.relaxed(hidden state 0x100)\nT1|rel(0x100)\n"
            "main|acq(0x200)\nmain|rel(0x200)\n");
}

TEST_F(Convert, AnAllocationMayBeNoWrite) {
  RawWriter raw;
  raw.add(0, 1, RawOp::AllocateUnwritten, 0x1000, 16);
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::AllocateUnwritten, 0x1000, 16);
  raw.add(1, 3, RawOp::Write, 0x1000, 8);
  EXPECT_EQ(converted(raw), "main|w(0x1000:8)\nT1|alloc(0x1000:8)\nT1|w(0x1000:8)\n");
}

/// Whatever the size of the reused memory, an atomic in it starts anew once.
TEST_F(Convert, AtomicsInReusedMemoryStartAnew) {
  for (const std::uint64_t bytes : {0x100ULL, 0x1000000ULL}) {
    RawWriter raw;
    raw.add(0, 1, RawOp::AtomicRmw, 0x10010, 3 + 256 * 4);
    raw.add(0, 2, RawOp::NewMemory, 0x10000, bytes, 1);
    raw.add(0, 3, RawOp::NewMemory, 0x10000, bytes, 1);
    raw.add(0, 4, RawOp::AtomicRmw, 0x10010, 3 + 256 * 4);
    raw.add(0, 5, RawOp::AtomicRmw, 0x10010, 3 + 256 * 4);
    EXPECT_EQ(converted(raw),
              "main|rmw.acq_rel(0x10010)\nmain|store.relaxed(0x10010)\nmain|rmw.acq_rel(0x10010)\n"
              "main|rmw.acq_rel(0x10010)\n");
  }
}

/// Running threads release there; the others have released before they waited or ended.
TEST_F(Convert, AcquiringFromAllThreads) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Begin);
  raw.add(0, 2, RawOp::Fork, 1);
  raw.add(0, 3, RawOp::Fork, 2);
  raw.add(1, 4, RawOp::Begin);
  raw.add(1, 5, RawOp::EndThread);
  raw.add(2, 6, RawOp::Begin);
  raw.add(2, 7, RawOp::Acquire, 0x100);
  raw.add(2, 8, RawOp::Wait, 0x100);
  raw.add(0, 9, RawOp::Fork, 3);
  raw.add(3, 10, RawOp::Begin);
  raw.add(3, 11, RawOp::AcquireAll);
  raw.add(2, 12, RawOp::Wake, 0x100);
  EXPECT_EQ(converted(raw),
            "main|begin\nmain|fork(T1)\nmain|fork(T2)\nT1|begin\nT1|rmw.release(all)\nT1|end\nT2|begin\n"
            "T2|acq(0x100)\nT2|rmw.release(all)\nT2|wait(0x100)\nmain|fork(T3)\nT3|begin\nmain|rmw.release(all)\n"
            "T3|load.acquire(all)\nT2|wake(0x100)\n");
}

/// The room after a block may have belonged to another block. It becomes this one's when the program learns of it.
TEST_F(Convert, RoomThatTheProgramKnowsOfBeginsANewLife) {
  for (const bool knows : {false, true}) {
    RawWriter raw;
    raw.add(0, 1, RawOp::Allocate, 0x1010, 8);
    raw.add(0, 2, RawOp::Write, 0x1010, 8);
    raw.add(0, 3, RawOp::Free, 0x1010, 24);
    raw.add(0, 4, RawOp::Allocate, 0x1000, 10);
    if (knows) {
      raw.add(0, 5, RawOp::Room, 0x1000, 24);
      raw.add(0, 6, RawOp::Room, 0x1000, 24);
    }
    raw.add(0, 7, RawOp::Write, 0x1010, 8);
    EXPECT_EQ(converted(raw), std::string("main|w(0x1010:8)\nmain|w(0x1010:8)\nmain|free(0x1010:8)\n") +
                                  (knows ? "main|alloc(0x1010:8)\n" : "") + "main|w(0x1010:8)\n");
  }
}

TEST_F(Convert, AUseAfterFreeMeetsTheFree) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::Free, 0x1000, 16);
  raw.add(1, 3, RawOp::Read, 0x1000, 8);
  EXPECT_EQ(converted(raw), "main|w(0x1000:8)\nmain|free(0x1000:8)\nT1|r(0x1000:8)\n");
}

TEST_F(Convert, TakingALockReadsWhatMakingItWrote) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 1);
  raw.add(1, 2, RawOp::Acquire, 0x1000);
  raw.add(1, 3, RawOp::Release, 0x1000);
  EXPECT_EQ(converted(raw), "main|w(0x1000:1)\nmain|w(0x1000:1@1)\nT1|r(0x1000:1@1)\nT1|acq(0x1000)\nT1|rel(0x1000)\n");
}

TEST_F(Convert, PlainAndAtomicAccessesMeetInVariablesOfTheirOwn) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 4);
  raw.add(1, 2, RawOp::AtomicStore, 0x1000, 2 + 256 * 4);  // release
  raw.add(2, 3, RawOp::AtomicLoad, 0x1000, 1 + 256 * 4);   // acquire
  raw.add(2, 4, RawOp::AtomicRmw, 0x1000, 3 + 256 * 4);    // acq_rel
  raw.add(2, 5, RawOp::AtomicLoad, 0x3000, 0 + 256 * 4);   // no plain access there
  EXPECT_EQ(converted(raw),
            "main|w(0x1000:4)\nmain|w(0x1000:4@1)\nmain|w(0x1000:4@2)\n"
            "T1|w(0x1000:4@1)\nT1|store.release(0x1000)\n"
            "T2|load.acquire(0x1000)\nT2|r(0x1000:4@2)\n"
            "T2|load.acquire(0x1000)\nT2|w(0x1000:4@2)\nT2|rmw.acq_rel(0x1000)\n"
            "T2|load.relaxed(0x3000)\n");
}

TEST_F(Convert, AThreadsViewHasItsPlainAccessesToo) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 4);
  raw.add(1, 2, RawOp::Write, 0x1000, 4);
  raw.add(1, 3, RawOp::AtomicStore, 0x1000, 0 + 256 * 4);
  raw.add(1, 4, RawOp::Read, 0x1000, 4);
  EXPECT_EQ(converted(raw),
            "main|w(0x1000:4)\nmain|w(0x1000:4@1)\nT1|w(0x1000:4)\nT1|w(0x1000:4@1)\n"
            "T1|w(0x1000:4@1)\nT1|store.relaxed(0x1000)\nT1|r(0x1000:4)\nT1|r(0x1000:4@1)\n");
}

/// An atomic access conflicts with plain ones to a part of it, and to each half; also an atomic of another size.
TEST_F(Convert, AtomicsOfDifferentSizesShareTheirPieces) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1004, 4);
  raw.add(1, 2, RawOp::AtomicLoad, 0x1000, 0 + 256 * 8);
  raw.add(2, 3, RawOp::AtomicLoad, 0x1004, 0 + 256 * 4);
  raw.add(0, 4, RawOp::Write, 0x1000, 2);
  EXPECT_EQ(converted(raw),
            "main|w(0x1004:4)\nmain|w(0x1004:4@1)\nmain|w(0x1004:4@2)\n"
            "T1|load.relaxed(0x1000)\nT1|r(0x1000:2@1)\nT1|r(0x1004:4@1)\n"
            "T2|load.relaxed(0x1004)\nT2|r(0x1004:4@2)\n"
            "main|w(0x1000:2)\nmain|w(0x1000:2@1)\n");
}

TEST_F(Convert, AtomicsOfDifferentSizesMayBeginTogether) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 2);
  raw.add(1, 2, RawOp::AtomicStore, 0x1000, 0 + 256 * 1);
  raw.add(1, 3, RawOp::AtomicLoad, 0x1000, 0 + 256 * 2);
  EXPECT_EQ(converted(raw),
            "main|w(0x1000:1)\nmain|w(0x1001:1)\nmain|w(0x1000:1@1)\nmain|w(0x1001:1@1)\n"
            "T1|w(0x1000:1@1)\nT1|store.relaxed(0x1000)\n"
            "T1|load.relaxed(0x1000)\nT1|r(0x1000:1@1)\nT1|r(0x1001:1@1)\n");
}

/// As in the online detector: first the memory of a cell, then the views of the threads in the order of their creation.
TEST_F(Convert, ViewsOfACellAreMetInTheOrderOfTheirMaking) {
  RawWriter raw;
  raw.add(2, 1, RawOp::AtomicLoad, 0x1004, 0 + 256 * 4);
  raw.add(1, 2, RawOp::AtomicLoad, 0x1000, 0 + 256 * 4);
  raw.add(2, 3, RawOp::AtomicLoad, 0x1000, 0 + 256 * 4);
  raw.add(0, 4, RawOp::Write, 0x1000, 8);
  EXPECT_EQ(converted(raw),
            "T2|load.relaxed(0x1004)\nT2|r(0x1004:4@2)\nT1|load.relaxed(0x1000)\nT1|r(0x1000:4@1)\n"
            "T2|load.relaxed(0x1000)\nT2|r(0x1000:4@2)\n"
            "main|w(0x1000:4)\nmain|w(0x1004:4)\n"
            "main|w(0x1000:4@2)\nmain|w(0x1004:4@2)\nmain|w(0x1000:4@1)\n");
}

TEST_F(Convert, OneUnlockGivesBackEitherMode) {
  RawWriter raw;
  raw.add(0, 1, RawOp::AcquireShared, 0x100);
  raw.add(1, 2, RawOp::AcquireShared, 0x100);
  raw.add(0, 3, RawOp::Release, 0x100);
  raw.add(1, 4, RawOp::Release, 0x100);
  raw.add(0, 5, RawOp::Acquire, 0x100);
  raw.add(0, 6, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|racq(0x100)\nT1|racq(0x100)\nmain|rrel(0x100)\nT1|rrel(0x100)\nmain|acq(0x100)\nmain|rel(0x100)\n");
}

TEST_F(Convert, ALockUnlockedByAnotherThreadOrdersLikeAnAtomic) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(1, 2, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw), "main|rmw.acquire(lock 0x100)\nT1|rmw.release(lock 0x100)\n");
}

/// A handler runs while its thread waits, and others hold the mutex meanwhile.
TEST_F(Convert, AWaitThatAHandlerInterruptsStaysRegular) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(0, 2, RawOp::Acquire, 0x100);
  raw.add(0, 3, RawOp::Wait, 0x100);
  raw.add(1, 4, RawOp::Acquire, 0x100);
  raw.add(0, 5, RawOp::Write, 0x1000, 4);
  raw.add(1, 6, RawOp::Release, 0x100);
  raw.add(0, 7, RawOp::Wake, 0x100);
  raw.add(0, 8, RawOp::Wait, 0x100);
  raw.add(0, 9, RawOp::Wake, 0x100);
  raw.add(0, 10, RawOp::Release, 0x100);
  raw.add(0, 11, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|acq(0x100)\nmain|acq(0x100)\nmain|rel(0x100)\nmain|rel(0x100)\nT1|acq(0x100)\nmain|w(0x1000:4)\n"
            "T1|rel(0x100)\nmain|acq(0x100)\nmain|acq(0x100)\nmain|wait(0x100)\nmain|wake(0x100)\nmain|rel(0x100)\n"
            "main|rel(0x100)\n");
}

/// The handler waits too, with an irregular lock among the waits, which must not shift the numbers of the others.
TEST_F(Convert, AHandlerMayWaitAsWell) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Wait, 0x300);
  raw.add(0, 2, RawOp::Wake, 0x300);
  raw.add(0, 3, RawOp::Acquire, 0x100);
  raw.add(0, 4, RawOp::Wait, 0x100);
  raw.add(0, 5, RawOp::Acquire, 0x200);
  raw.add(0, 6, RawOp::Wait, 0x200);
  raw.add(0, 7, RawOp::Wake, 0x200);
  raw.add(0, 8, RawOp::Release, 0x200);
  raw.add(0, 9, RawOp::Wake, 0x100);
  raw.add(0, 10, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|rmw.release(lock 0x300)\nmain|rmw.acquire(lock 0x300)\nmain|acq(0x100)\nmain|rel(0x100)\n"
            "main|acq(0x200)\nmain|wait(0x200)\nmain|wake(0x200)\nmain|rel(0x200)\nmain|acq(0x100)\nmain|rel(0x100)\n");
}

/// A handler jumps out of a wait: the thread never re-acquires the mutex in it, and takes it later.
TEST_F(Convert, AWaitThatNeverEnds) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(0, 2, RawOp::Wait, 0x100);
  raw.add(0, 3, RawOp::Acquire, 0x100);
  raw.add(0, 4, RawOp::Wait, 0x100);
  raw.add(0, 5, RawOp::Wake, 0x100);
  raw.add(0, 6, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|acq(0x100)\nmain|rel(0x100)\nmain|acq(0x100)\nmain|wait(0x100)\nmain|wake(0x100)\nmain|rel(0x100)\n");
}

/// Earlier runtimes did not record the end of a cancelled wait: it is unknown whether the thread has the mutex.
TEST_F(Convert, AMutexUnlockedInAWaitIsIrregular) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, 0x100);
  raw.add(0, 2, RawOp::Wait, 0x100);
  raw.add(0, 3, RawOp::Release, 0x100);
  EXPECT_EQ(converted(raw),
            "main|rmw.acquire(lock 0x100)\nmain|rmw.release(lock 0x100)\nmain|rmw.release(lock 0x100)\n");
}

/// Benign memory still orders: only its races are not reported.
TEST_F(Convert, BenignMemoryIsRememberedAside) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::Benign, 0x1000, 4);
  EXPECT_EQ(converted(raw), "main|w(0x1000:4)\nmain|w(0x1004:4)\n");
  const auto info = read_capture_info(path(".omen"));
  ASSERT_TRUE(info && *info);
  ASSERT_EQ((*info)->benign.size(), 1U);
  EXPECT_EQ((*info)->benign[0].end, 0x1004U);
}

TEST_F(Convert, NothingAfterTheStopIsPartOfTheTrace) {
  RawWriter raw;
  raw.header.stop = raw::Stop::NoSpace;
  raw.header.stop_number = 2;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 3, RawOp::Write, 0x2000, 8);
  EXPECT_EQ(converted(raw), "main|w(0x1000:8)\n");
  const auto info = read_capture_info(path(".omen"));
  ASSERT_TRUE(info && *info);
  ASSERT_EQ((*info)->notes.size(), 1U);
  EXPECT_NE((*info)->notes[0].find("disk was full"), std::string::npos);
}

TEST_F(Convert, NothingAfterTheStopIsPartOfTheTraceThoughOthersGoOnLater) {
  RawWriter raw;
  raw.header.stop = raw::Stop::NoSpace;
  raw.header.stop_number = 2;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 3, RawOp::Write, 0x2000, 8);
  raw.add(1, 5, RawOp::Write, 0x1000, 8);
  EXPECT_EQ(converted(raw), "main|w(0x1000:8)\n");
}

TEST_F(Convert, NothingAfterARequestToEndIsPartOfTheTrace) {
  constexpr std::uint64_t kEvents = 100'000;
  RawWriter raw;
  for (std::uint64_t i = 0; i < kEvents; ++i) raw.add(i % 2, i + 1, RawOp::Write, 0x1000 + 8 * i, 8);
  converted(raw);
  for (const int asked_in : {1, 3, 8, 1000}) {  // the first pass asks six times, and each later one again
    int asked = 0;
    auto run = RecordedRun::open(path(".raw"), Stop([&] { return ++asked == asked_in; }));
    ASSERT_TRUE(run);
    for (int pass = 0; pass < 2; ++pass) {
      ASSERT_TRUE(
          run->events(RecordedRun::Which::All, [](std::span<Event>) { return std::expected<void, InputError>{}; }));
    }
    EXPECT_EQ(run->complete(), asked_in == 1000) << asked_in;
    EXPECT_EQ(run->event_count() < kEvents, asked_in != 1000) << asked_in;
    EXPECT_GT(run->event_count(), 10'000U);
  }
}

TEST_F(Convert, KeepsStacksThreadsAndBlocks) {
  RawWriter raw;
  raw.add(0, 1, RawOp::DefineNode, 0x555, 0, 1);
  raw.more(0, 0);
  raw.add(0, 1, RawOp::DefineNode, 0x666, 0, 2);
  raw.more(0, 1);
  raw.add(0, 2, RawOp::Fork, 1, 0, 2);
  raw.add(1, 3, RawOp::Allocate, 0x1000, 100'000, 1);
  converted(raw);
  const auto read = read_capture_info(path(".omen"));
  ASSERT_TRUE(read && *read);
  const CaptureInfo& info = **read;
  ASSERT_EQ(info.stacks.size(), 3U);
  EXPECT_EQ(info.stacks[2].parent, 1U);
  EXPECT_EQ(info.stacks[2].pc, 0x666U);
  ASSERT_EQ(info.threads.size(), 2U);
  EXPECT_EQ(info.threads[1].creator, ThreadId{0});
  EXPECT_EQ(info.threads[1].creation_stack, 2U);
  ASSERT_EQ(info.blocks.size(), 1U);
  EXPECT_EQ(info.blocks[0].size, 100'000U);
  EXPECT_EQ(info.process, 4711U);
}

/// A program that is killed while it copies a chunk leaves two copies, or a gap.
TEST_F(Convert, ChunksThatWereBeingCopied) {
  RawWriter full;
  full.add(0, 1, RawOp::Write, 0x1000, 8);
  full.add(0, 2, RawOp::Write, 0x2000, 8);
  RawWriter half;
  half.add(0, 1, RawOp::Write, 0x1000, 8);
  RawWriter later;
  later.add(0, 3, RawOp::Write, 0x3000, 8);
  const auto chunk = [](const RawWriter& raw, std::uint64_t order) {
    std::string bytes = raw.bytes().substr(raw::kFileHeaderBytes);
    std::memcpy(bytes.data() + offsetof(raw::ChunkHeader, order), &order, sizeof order);
    return bytes;
  };
  const std::string begin = full.bytes().substr(0, raw::kFileHeaderBytes);
  const std::string gap(raw::kChunkBytes, '\0');
  const std::string all = "main|w(0x1000:8)\nmain|w(0x2000:8)\nmain|w(0x3000:8)\n";
  EXPECT_EQ(converted(begin + chunk(later, 1) + chunk(full, 0)), all);
  EXPECT_EQ(converted(begin + chunk(full, 0) + gap + chunk(half, 0) + chunk(later, 1)), all);
  EXPECT_EQ(converted(begin + chunk(half, 0) + chunk(full, 0) + chunk(later, 1) + gap), all);
  std::string cut_off = chunk(half, 0);
  const std::uint64_t bytes = raw::kChunkBytes;
  std::memcpy(cut_off.data() + offsetof(raw::ChunkHeader, bytes), &bytes, sizeof bytes);
  EXPECT_EQ(converted(begin + chunk(later, 1) + chunk(full, 0) + cut_off), all);
}

/// One word each: omitted fields come from earlier records.
TEST_F(Convert, ShortAccesses) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Fork, 1);
  raw.add(1, 2, RawOp::Begin);
  raw.add(0, 3, RawOp::DefineNode, 0x5555'0000'1111, 0, 1);
  raw.more(0, 0);
  raw.add(0, 3, RawOp::DefineNode, 0x5555'0123'4567, 0, 2);
  raw.more(0, 1);
  raw.add(0, 3, RawOp::Window, 0x5555'01, 0, 1);
  raw.add(0, 3, RawOp::Base, 0x5555, 0, 2);
  raw.add_word(0, raw::frame_word(1));
  raw.add_word(0, raw::ShortAccess(0x5555'8000'1000, 3, true, 2, 0x5555'0123'4567, 1).word());
  raw.add(0, 3, RawOp::Base, 0x7fff, 0, 7);
  raw.add_word(0, raw::ShortAccess(0x7fff'ffff'fff8, 0, false, 7, 0x5555'01ff'ffff, 1).word());
  raw.add_word(0, raw::ShortAccess(0x5555'8000'2000, 2, true, 2, 0x5555'0123'4567, 1).word());
  raw.add(1, 4, RawOp::Base, 0x5555);
  raw.add_word(1, raw::ShortAccess(0x5555'8000'1000, 3, false, 0, 0x42, 0).word());
  raw.add(0, 5, RawOp::Write, 0x5555'8000'1000, 8);
  raw.add_word(0, raw::ShortAccess(0x5555'8000'2000, 2, false, 2, 0x5555'01ff'ffff, 1).word());
  EXPECT_EQ(converted(raw.bytes()),
            "main|fork(T1)\nT1|begin\nmain|w(0x555580001000:8)\nmain|r(0x7ffffffffff8:1)\nmain|w(0x555580002000:4)\n"
            "T1|r(0x555580001000:8)\nmain|w(0x555580001000:8)\nmain|r(0x555580002000:4)\n");
  raw.write(path(".raw"));
  auto run = RecordedRun::open(path(".raw"));
  ASSERT_TRUE(run);
  std::vector<std::uint32_t> nodes;
  ASSERT_TRUE(run->events(RecordedRun::Which::All, [&](std::span<Event> block) -> std::expected<void, InputError> {
    for (const Event& event : block) nodes.push_back(static_cast<std::uint32_t>(event.location) & ~kNumericLocation);
    return {};
  }));
  // The second node is the runtime's own, the others are created here.
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{0, 0, 2, 3, 2, 4, 0, 3}));
  const auto& stacks = run->info().stacks;
  ASSERT_EQ(stacks.size(), 5U);
  EXPECT_EQ(stacks[3].parent, 1U);
  EXPECT_EQ(stacks[3].pc, 0x5555'01ff'ffffU);
  EXPECT_EQ(stacks[4].parent, 0U);
  EXPECT_EQ(stacks[4].pc, 0x42U);
}

/// Accesses to thread-private memory are left out of a pass over shared memory, but counted.
TEST_F(Convert, MemoryOfOneThreadCanBeLeftOut) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Allocate, 0x1000, 64);
  raw.add(0, 2, RawOp::Write, 0x1000, 8);
  raw.add(0, 3, RawOp::Write, 0x5000, 8);
  raw.add(0, 4, RawOp::Allocate, 0x7000, 64);
  raw.add(0, 5, RawOp::Fork, 1);
  raw.add(1, 6, RawOp::Begin);
  raw.add(1, 7, RawOp::Read, 0x5000, 4);
  raw.add(1, 8, RawOp::Read, 0x7000, 8);
  raw.add(0, 9, RawOp::Free, 0x1000, 64);
  raw.write(path(".raw"));
  auto run = RecordedRun::open(path(".raw"));
  ASSERT_TRUE(run);
  const auto events = [&](RecordedRun::Which which) {
    std::string text;
    EXPECT_TRUE(run->events(which, [&](std::span<Event> block) -> std::expected<void, InputError> {
      for (const Event& event : block) {
        const std::string line = to_text(event, run->all_names());
        text += line.substr(0, line.rfind('|')) + "\n";
      }
      return {};
    }));
    return text;
  };
  const std::string all = events(RecordedRun::Which::All);
  const std::uint64_t count = run->event_count();
  EXPECT_EQ(count, static_cast<std::uint64_t>(std::ranges::count(all, '\n')));
  EXPECT_EQ(events(RecordedRun::Which::OfSharedMemory),
            "main|w(0x5000:4)\nmain|w(0x5004:4)\nmain|w(0x7000:8)\nmain|fork(T1)\nT1|begin\nT1|r(0x5000:4)\n"
            "T1|r(0x7000:8)\n");
  EXPECT_EQ(run->event_count(), count);
  EXPECT_FALSE(run->used_after_free());
  EXPECT_EQ(events(RecordedRun::Which::All), all);
}

TEST_F(Convert, AThreadsOwnUseAfterFreeIsSeen) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Write, 0x1000, 8);
  raw.add(0, 2, RawOp::Free, 0x1000, 64);
  raw.add(0, 3, RawOp::Read, 0x1000, 8);
  raw.write(path(".raw"));
  auto run = RecordedRun::open(path(".raw"));
  ASSERT_TRUE(run);
  EXPECT_TRUE(
      run->events(RecordedRun::Which::OfSharedMemory, [](auto) -> std::expected<void, InputError> { return {}; }));
  EXPECT_TRUE(run->used_after_free());
}

/// Whatever is in the file, the result is a trace or an error, never a crash, and the output reads back.
TEST_F(Convert, DamagedRecordingsAreAnsweredOrRefused) {
  RawWriter raw;
  for (std::uint64_t i = 1; i < 40; ++i) {
    raw.add(static_cast<std::uint32_t>(i % 3), i, static_cast<RawOp>(1 + i % 33), 0x1000 + i * 8, 8,
            static_cast<std::uint32_t>(i % 5));
  }
  const std::string good = raw.bytes();
  const std::uint32_t seed = std::random_device{}();
  std::mt19937 random(seed);
  std::printf("damaged recordings (seed %u)\n", seed);
  for (int i = 0; i < 500; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 3; ++flips) {
      bad[raw::kFileHeaderBytes + random() % (bad.size() - raw::kFileHeaderBytes)] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    std::ofstream(path(".raw"), std::ios::binary) << bad;
    const auto result = convert(path(".raw"), path(".omen"));
    if (!result) continue;
    auto source = open_trace(path(".omen"));
    ASSERT_TRUE(source);
    ASSERT_TRUE(read_capture_info(path(".omen")));
    for (auto block = (*source)->next(); block && !block->empty(); block = (*source)->next()) {
    }
  }
}

}  // namespace
}  // namespace omen::recording
