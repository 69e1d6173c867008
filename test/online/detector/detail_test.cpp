/// \file
/// Histories and details (capture/runtime/detector/detail.hpp): loads return the stored values, and chunks are reused.
#include "capture/runtime/detector/detail.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace omen::rt::detect {
namespace {

Word word(Time time) {
  return Word::of(time % 7, time, AccessKind::Write);
}

bool are_equal(const History& a, const History& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(History, OneEntryForEachAccess) {
  History history;
  history.add(word(1), ByteSet::run(0, 4));
  history.add(word(2), ByteSet::run(4, 4));
  history.add(word(1), ByteSet::run(8, 4));
  history.add(word(3), {});
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].bytes, ByteSet::run(0, 4) | ByteSet::run(8, 4));
  history[1].bytes = {};
  history.remove_empty();
  EXPECT_EQ(history.size(), 1U);
}

TEST(DetailPool, WhatIsStoredIsLoaded) {
  const auto pool = std::make_unique<DetailPool>();
  ASSERT_TRUE(pool->create());
  std::mt19937 random(2);
  DetailPool::Number list = 0;
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    History history;
    const std::size_t count = random() % 40;
    most = std::max(most, count);
    for (std::size_t n = 0; n < count; ++n) history.add(word(static_cast<Time>(n + 1)), ByteSet(random() | 1U));
    list = pool->store(list, history, static_cast<u32>(i));
    EXPECT_EQ(list == 0, count == 0);
    EXPECT_EQ(pool->live(), (count + 6) / 7);
    History loaded;
    pool->load(list, loaded);
    EXPECT_TRUE(are_equal(history, loaded)) << i;
  }
  EXPECT_GT(most, 30U);
  EXPECT_EQ(pool->store(list, History(), 0), 0U);
  EXPECT_EQ(pool->live(), 0U);
}

TEST(DetailPool, ListsDoNotMix) {
  const auto pool = std::make_unique<DetailPool>();
  ASSERT_TRUE(pool->create());
  constexpr std::size_t kLists = 50;
  DetailPool::Number lists[kLists] = {};
  History histories[kLists];
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t which = random() % kLists;
    histories[which].clear();
    for (std::size_t n = random() % 20; n-- > 0;) {
      histories[which].add(word(static_cast<Time>(i * 32) + static_cast<Time>(n) + 1), ByteSet(random() | 1U));
    }
    lists[which] = pool->store(lists[which], histories[which], random() % 8);
  }
  for (std::size_t i = 0; i < kLists; ++i) {
    History loaded;
    pool->load(lists[i], loaded);
    EXPECT_TRUE(are_equal(histories[i], loaded)) << i;
  }
}

}  // namespace
}  // namespace omen::rt::detect
