/// \file
/// Words, byte sets and reader sets (capture/runtime/detector/word.hpp), against plain loops over all small cases.
#include "capture/runtime/detector/word.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace omen::rt::detect {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::Read, AccessKind::Write, AccessKind::AtomicRead, AccessKind::AtomicWrite};

TEST(Word, KeepsWhatItIsMadeOf) {
  for (const Slot slot : {Slot{0}, Slot{1}, Slot{61}, Slot{62}, kMostSlots - 1}) {
    for (const Time time : {Time{1}, Time{2}, ~Time{0}}) {
      for (const AccessKind kind : kKinds) {
        const Word word = Word::of(slot, time, kind);
        EXPECT_EQ(word.slot(), slot);
        EXPECT_EQ(word.time(), time);
        EXPECT_EQ(word.kind(), kind);
        EXPECT_EQ(word.plain(), Word::of(slot, time));
        EXPECT_FALSE(word.is_bound() || word.is_displaced() || word.is_merged() || word.is_shared());
        EXPECT_TRUE(word.as_bound().is_bound());
        EXPECT_TRUE(word.as_displaced().is_displaced());
        EXPECT_TRUE(word.as_merged().is_merged() && word.as_merged().is_displaced());
        EXPECT_EQ(word.as_bound().as_merged().plain(), word.plain());
        EXPECT_EQ(word.as_bound().kind(), kind);
      }
    }
  }
  EXPECT_TRUE(Word().is_none());
}

TEST(Word, OwnWordsOfASlotAreOneRange) {
  const u64 first = Word::of(7, 0).bits();
  EXPECT_EQ(Word::of(7, ~Time{0}).bits() - first, ~Time{0});
  EXPECT_GT(Word::of(8, 0).bits() - first, u64{~Time{0}});
  EXPECT_GT(ReaderSet().word().bits() - first, u64{~Time{0}});
}

TEST(AccessKind, CoversIsWhatConflictSays) {
  std::size_t covering = 0;
  for (const AccessKind a : kKinds) {
    for (const AccessKind b : kKinds) {
      bool all = true;
      for (const AccessKind c : kKinds) all &= !conflict(b, c) || conflict(a, c);
      EXPECT_EQ(covers(a, b), all) << static_cast<int>(a) << " " << static_cast<int>(b);
      covering += all;
    }
  }
  EXPECT_EQ(covering, 9U);  // four of themselves, a write of three, a read and an atomic write of one each
}

TEST(ByteSet, RunsAndParts) {
  for (uptr offset = 0; offset < kLineSize; ++offset) {
    for (u64 bytes = 1; bytes <= kLineSize; ++bytes) {
      const ByteSet run = ByteSet::run(offset, bytes);
      for (uptr byte = 0; byte < kLineSize; ++byte) EXPECT_EQ(run.has(byte), byte >= offset && byte < offset + bytes);
      const uptr base = 4096;
      EXPECT_EQ(ByteSet::within(base, base + offset, base + offset + bytes), run);
      EXPECT_EQ(run.first(), offset);
      EXPECT_EQ(run.last(), std::min<uptr>(offset + bytes, kLineSize) - 1);
    }
  }
  EXPECT_EQ(ByteSet::within(4096, 4000, 5000), ByteSet::all());
}

TEST(ByteSet, AgainstSetsOfNumbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const ByteSet set(random() & random());
    std::set<u32> bytes;
    set.for_each([&](u32 byte) { bytes.insert(byte); });
    std::set<u32> by_runs;
    u32 behind = 0;
    set.for_each_run([&](u32 offset, u32 length) {
      EXPECT_TRUE(by_runs.empty() || offset > behind);  // else they would be one
      behind = offset + length;
      for (u32 n = 0; n < length; ++n) by_runs.insert(offset + n);
    });
    EXPECT_EQ(bytes, by_runs);
    const ByteSet granules = set.whole_granules();
    for (u32 byte = 0; byte < kLineSize; ++byte) {
      EXPECT_EQ(bytes.contains(byte), set.has(byte));
      bool any = false;
      for (u32 other = byte / 8 * 8; other < byte / 8 * 8 + 8; ++other) any |= bytes.contains(other);
      EXPECT_EQ(granules.has(byte), any);
    }
    const ByteSet other(random());
    EXPECT_EQ((set - other) | (set & other), set);
    EXPECT_EQ(set.contains(other), (other - set).is_empty());
    EXPECT_EQ(set.meets(other), !(set & other).is_empty());
  }
}

TEST(ReaderSet, NamesThreadsAndUnitesTheRest) {
  ReaderSet readers;
  for (const Slot slot : {Slot{0}, Slot{5}, Slot{61}}) readers.add(slot);
  std::vector<Slot> seen;
  readers.for_each(100, [&](Slot slot) { seen.push_back(slot); });
  EXPECT_EQ(seen, (std::vector<Slot>{0, 5, 61}));
  EXPECT_FALSE(readers.may_have(62));
  EXPECT_TRUE(readers.word().is_shared());
  EXPECT_TRUE(ReaderSet(readers.word()).may_have(61));
  readers.add(70);
  seen.clear();
  readers.for_each(72, [&](Slot slot) { seen.push_back(slot); });
  EXPECT_EQ(seen, (std::vector<Slot>{0, 5, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71}));
  EXPECT_TRUE(readers.may_have(4000));
}

}  // namespace
}  // namespace omen::rt::detect
