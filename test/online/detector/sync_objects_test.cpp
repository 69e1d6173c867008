/// \file
/// The table of synchronisation objects (capture/runtime/detector/sync_objects.hpp), and the table that does not move
/// (capture/runtime/detector/arena.hpp).
#include "capture/runtime/detector/sync_objects.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace omen::rt::detect {
namespace {

constexpr auto nothing = [](u32) {};

TEST(SyncObjects, FoundAsLongAsTheirMemoryLives) {
  const auto objects = std::make_unique<SyncObjects>();
  ASSERT_TRUE(objects->create());
  EXPECT_EQ(objects->find(0x1000), SyncObjects::kNone);
  std::set<u32> numbers;
  for (uptr at = 0x1000; at < 0x2000; at += 8) numbers.insert(objects->find_or_make(at, nothing));
  EXPECT_EQ(numbers.size(), 512U);
  EXPECT_EQ(objects->live(), 512U);
  for (uptr at = 0x1000; at < 0x2000; at += 8) {
    const SyncObjects::Number number = objects->find(at);
    ASSERT_NE(number, SyncObjects::kNone);
    EXPECT_EQ(objects->find_or_make(at, nothing), number);
    EXPECT_EQ((*objects)[number].address.load(), at);
  }
  EXPECT_TRUE(objects->may_have(0x1000, 0x1008));
  (*objects)[objects->find(0x1010)].holder = 3;  // in use
  std::size_t gone = 0;
  objects->remove(0x1000, 0x1020, [&](u32) { ++gone; });
  EXPECT_EQ(gone, 3U);
  EXPECT_EQ(objects->find(0x1008), SyncObjects::kNone);
  EXPECT_NE(objects->find(0x1010), SyncObjects::kNone);
  objects->remove(0, uptr{1} << 47, [&](u32) { ++gone; });
  EXPECT_EQ(gone, 511U);
  EXPECT_EQ(objects->live(), 1U);
}

TEST(SyncObjects, NumbersRest) {
  const auto objects = std::make_unique<SyncObjects>();
  ASSERT_TRUE(objects->create());
  const auto first = objects->find_or_make(0x1000, nothing);
  objects->remove(0x1000, 0x1001, nothing);
  EXPECT_NE(objects->find_or_make(0x1000, nothing), first);
  objects->use_numbers_again();
  EXPECT_EQ(objects->find_or_make(0x2000, nothing), first);
}

TEST(SyncObjects, ManyThreadsMakeOneObject) {
  const auto objects = std::make_unique<SyncObjects>();
  ASSERT_TRUE(objects->create());
  std::atomic<u32> made{0};
  std::vector<std::vector<u32>> numbers(4);
  std::vector<std::thread> threads;
  for (auto& own : numbers) {
    threads.emplace_back([&] {
      for (uptr at = 0x1000; at < 0x9000; at += 8) own.push_back(objects->find_or_make(at, [&](u32) { ++made; }));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 4096U);
  for (const auto& own : numbers) EXPECT_EQ(own, numbers[0]);
}

TEST(Table, ElementsDoNotMove) {
  Table<u64> table;
  EXPECT_EQ(table.size(), 0U);
  table.resize(1);
  u64* const first = &table[0];
  *first = 7;
  table.resize(100000);
  EXPECT_EQ(&table[0], first);
  table.resize(5);  // it does not shrink
  EXPECT_EQ(table.size(), 100000U);
  u64& last = table.emplace_back();
  EXPECT_EQ(&last, &table[100000]);
  u64 sum = 0;
  for (const u64& each : std::as_const(table)) sum += each;
  EXPECT_EQ(sum, 7U);
}

}  // namespace
}  // namespace omen::rt::detect
