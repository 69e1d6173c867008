/// \file
/// The access log (capture/runtime/detector/access_log.hpp): what is found, in which order, and that a reader beside
/// the writer never sees a record that was half overwritten.
#include "capture/runtime/detector/access_log.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace omen::rt::detect {
namespace {

constexpr u32 kRecords = 4096;
constexpr u32 kPairs = kRecords / 2 - 1;  ///< of a record and its context, which are there when the ring is full

TEST(AccessLog, LatestFirst) {
  const auto log = std::make_unique<AccessLog>();
  EXPECT_FALSE(log->exists());
  ASSERT_TRUE(log->create(kRecords));
  constexpr uptr kPc = 0x7f1234567890;
  log->add(0x1000, 4, LogKind::Write, {kPc, 5}, 3);
  const u64 after_first = log->end();
  const Word word = Word::of((1U << kSlotBits) - 1, ~Time{0} - 1).as_bound();
  log->add_replaced(0x2000, ByteSet(0x8000000180000001), false, word);
  log->add(0x3000, AccessLog::kLongest, LogKind::Read, {kPc + 1, 5}, 3);
  log->add(0x4000, 1, LogKind::Release, {0x88, 6}, 4);
  EXPECT_EQ(log->accesses(), 2U);
  std::vector<uptr> seen;
  u64 before = log->end();
  log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64 position) {
    EXPECT_LT(position, before);
    before = position;
    seen.push_back(entry.address());
    if (entry.address() == 0x1000) {
      EXPECT_EQ(entry.what(), LogKind::Write);
      EXPECT_EQ(entry.bytes(), 4U);
      EXPECT_EQ(entry.where().pc, kPc);
      EXPECT_EQ(entry.where().frame, 5U);
      EXPECT_EQ(entry.time(), 3U);
    } else if (entry.address() == 0x2000) {
      EXPECT_TRUE(entry.is_replaced());
      EXPECT_EQ(entry.what(), LogKind::ReplacedRead);
      EXPECT_EQ(entry.replaced_bytes(), ByteSet(0x8000000180000001));
      EXPECT_EQ(entry.replaced_word(), word);
    } else if (entry.address() == 0x3000) {
      EXPECT_EQ(entry.bytes(), AccessLog::kLongest);
      EXPECT_EQ(entry.where().pc, kPc + 1);
      EXPECT_EQ(entry.where().frame, 5U);
      EXPECT_EQ(entry.time(), 3U);
    } else {
      EXPECT_EQ(entry.where().pc, 0x88U);
      EXPECT_EQ(entry.where().frame, 6U);
      EXPECT_EQ(entry.time(), 4U);
    }
    return false;
  });
  EXPECT_EQ(seen, (std::vector<uptr>{0x4000, 0x3000, 0x2000, 0x1000}));
  const auto is_replaced = [](const AccessLog::Entry& entry, u64) { return entry.is_replaced(); };
  EXPECT_TRUE(log->any_before(log->end(), is_replaced));
  EXPECT_FALSE(log->any_before(after_first, is_replaced));
}

TEST(AccessLog, ForgetsTheOldest) {
  const auto log = std::make_unique<AccessLog>();
  ASSERT_TRUE(log->create(kRecords));
  for (u32 i = 0; i < 10'000; ++i) log->add(0x1000 + i, 1, LogKind::Read, {i, i}, i);
  u32 next = 10'000;
  log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64) {
    EXPECT_EQ(entry.address(), 0x1000U + --next);
    return false;
  });
  EXPECT_EQ(next, 10'000U - kPairs);
  EXPECT_TRUE(log->has_all_from(log->end() - kRecords + 1));
  EXPECT_FALSE(log->has_all_from(log->end() - kRecords));
}

/// The context is repeated, so that all that has not been overwritten is found, but for a context's length.
TEST(AccessLog, AContextOutlivesItsFirstRecords) {
  const auto log = std::make_unique<AccessLog>();
  ASSERT_TRUE(log->create(kRecords));
  for (u32 i = 0; i < 20'000; ++i) log->add(i, 8, LogKind::Write, {uptr{0x55aa00000000} + i, 9}, 7);
  u32 next = 20'000;
  log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64) {
    --next;
    EXPECT_EQ(entry.address(), next);
    EXPECT_EQ(entry.where().pc, uptr{0x55aa00000000} + next);
    EXPECT_EQ(entry.where().frame, 9U);
    EXPECT_EQ(entry.time(), 7U);
    return false;
  });
  EXPECT_LE(next, 20'000U - (kRecords - 1100));
  EXPECT_EQ(log->accesses(), 20'000U);
}

TEST(AccessLog, ReadersNeverSeeHalfARecord) {
  const auto log = std::make_unique<AccessLog>();
  ASSERT_TRUE(log->create(kRecords));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (u32 i = 1; !done; ++i) {
      log->add(i, i % 4096, LogKind::Read, {(uptr{i} << 32 & AccessLog::kAddresses) + i, i / 4}, i / 8);
      if (i % 16 == 0) log->add_replaced(i, ByteSet(i * 0x100000001ULL), true, Word::of(i % 8192, i));
    }
  });
  u64 seen = 0;
  u64 replaced = 0;
  while (seen < 100'000 || replaced < 1'000) {
    log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64) {
      const auto i = static_cast<u32>(entry.address());
      ++seen;
      if (entry.is_replaced()) {
        ++replaced;
        EXPECT_EQ(entry.replaced_bytes(), ByteSet(i * 0x100000001ULL));
        EXPECT_EQ(entry.replaced_word(), Word::of(i % 8192, i));
        return false;
      }
      EXPECT_EQ(entry.bytes(), i % 4096);
      EXPECT_EQ(entry.time(), i / 8);
      EXPECT_EQ(entry.where().frame, i / 4);
      EXPECT_EQ(entry.where().pc, (uptr{i} << 32 & AccessLog::kAddresses) + i);
      return false;
    });
  }
  done = true;
  writer.join();
}

}  // namespace
}  // namespace omen::rt::detect
