/// \file
/// The words of a split line: what goes into a group word comes out of it, group by group
/// (capture/runtime/detector/split_line.hpp).
#include "capture/runtime/detector/split_line.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace omen::rt::detect {
namespace {

TEST(GroupWord, IsALineWordOfItsGroup) {
  constexpr unsigned kSeed = 20261119;
  std::mt19937_64 random(kSeed);
  std::size_t partly = 0;
  for (int i = 0; i < 100'000; ++i) {
    const u32 group = static_cast<u32>(random() % kGroups);
    const ByteSet bytes(random() & random());
    const bool is_loose = random() % 2 != 0;
    const LineWord word =
        LineWord::of(Word::of(static_cast<Slot>(random() % kMostSlots), static_cast<Time>(random() | 1)), bytes,
                     ByteSet(random() & random()), is_loose);
    LineWord part =
        LineWord::of(word.epoch, word.bytes & group_bytes(group), word.bounded_only() & group_bytes(group), is_loose);
    if (part.bytes.is_empty()) part.epoch = word.bound();
    const GroupWord packed = GroupWord::of(word, group);
    ASSERT_FALSE(packed.is_shared());
    ASSERT_EQ(packed.line_word(group), part.touched().is_empty() ? LineWord{} : part) << "(seed " << kSeed << ")";
    partly += part.touched() != word.touched() && !part.touched().is_empty();
  }
  EXPECT_GT(partly, 50'000U);
}

TEST(GroupWord, TheLatestEpochOfTheLastSlotFits) {
  const LineWord word{Word::of(kMostSlots - 1, ~Time{0}), ByteSet::all(), {}};
  for (u32 group = 0; group < kGroups; ++group) {
    EXPECT_EQ(GroupWord::of(word, group).line_word(group), (LineWord{word.epoch, group_bytes(group), {}}));
    EXPECT_FALSE(GroupWord::of(word, group).is_shared());
  }
  EXPECT_TRUE(GroupWord::shared().is_shared());
  EXPECT_FALSE(GroupWord().is_shared());
}

TEST(Groups, AreVisitedOnceWhereTheyHaveBytes) {
  std::vector<u32> visited;
  for_each_group(ByteSet::run(7, 2) | ByteSet::run(40, 1) | ByteSet::run(63, 1),
                 [&](u32 group) { visited.push_back(group); });
  EXPECT_EQ(visited, (std::vector<u32>{0, 1, 5, 7}));
}

TEST(SplitLines, EachLineHasItsOwnWords) {
  const auto lines = std::make_unique<SplitLines>();
  const uptr here = (uptr{5} << kRegionShift) + 3 * kLineSize;
  ASSERT_TRUE(lines->make(here));
  const GroupWord word = GroupWord::of({Word::of(1, 2), ByteSet::all(), {}}, 4);
  lines->of(here).store_write(4, word);
  EXPECT_EQ(lines->of(here + 63).write(4), word);
  EXPECT_EQ(lines->of(here).read(4), GroupWord());
  EXPECT_EQ(lines->of(here + kLineSize).write(4), GroupWord());
  EXPECT_EQ(lines->of(here - kLineSize).write(4), GroupWord());
  EXPECT_GT(lines->bytes(), 0U);
  lines->forget_all();
  EXPECT_EQ(lines->of(here).write(4), GroupWord());
}

}  // namespace
}  // namespace omen::rt::detect
