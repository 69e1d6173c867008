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

TEST(AccessLog, LatestFirst) {
  const auto log = std::make_unique<AccessLog>();
  EXPECT_FALSE(log->exists());
  ASSERT_TRUE(log->create(64));
  log->add(0x1000, 4, LogKind::Write, {0x77, 5}, 3);
  log->add_replaced(0x2000, ByteSet::run(3, 9), false, Word::of(4, 8).as_bound());
  log->add(0x3000, AccessLog::kLongest, LogKind::Read, {0x88, 6}, 4);
  std::vector<uptr> seen;
  log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64 position) {
    EXPECT_EQ(position, 2 - seen.size());
    seen.push_back(entry.address());
    if (entry.address() == 0x1000) {
      EXPECT_EQ(entry.what(), LogKind::Write);
      EXPECT_EQ(entry.bytes(), 4U);
      EXPECT_EQ(entry.where().pc, 0x77U);
      EXPECT_EQ(entry.where().frame, 5U);
      EXPECT_EQ(entry.time(), 3U);
      EXPECT_TRUE(entry.covers(0x1003));
      EXPECT_FALSE(entry.covers(0x1004));
    } else if (entry.address() == 0x2000) {
      EXPECT_TRUE(entry.is_replaced());
      EXPECT_EQ(entry.replaced_bytes(), ByteSet::run(3, 9));
      EXPECT_EQ(entry.replaced_word(), Word::of(4, 8).as_bound());
    }
    return false;
  });
  EXPECT_EQ(seen, (std::vector<uptr>{0x3000, 0x2000, 0x1000}));
  EXPECT_TRUE(log->any_before(2, [](const AccessLog::Entry& entry, u64) { return entry.is_replaced(); }));
  EXPECT_FALSE(log->any_before(1, [](const AccessLog::Entry& entry, u64) { return entry.is_replaced(); }));
}

TEST(AccessLog, ForgetsTheOldest) {
  const auto log = std::make_unique<AccessLog>();
  ASSERT_TRUE(log->create(64));
  for (u32 i = 0; i < 1000; ++i) log->add(0x1000 + i, 1, LogKind::Read, {i, i}, i);
  u32 next = 1000;
  log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64) {
    EXPECT_EQ(entry.address(), 0x1000U + --next);
    return false;
  });
  EXPECT_EQ(next, 1000U - 63);
  EXPECT_TRUE(log->has_all_from(1000 - 63));
  EXPECT_FALSE(log->has_all_from(1000 - 64));
}

TEST(AccessLog, ReadersNeverSeeHalfARecord) {
  const auto log = std::make_unique<AccessLog>();
  ASSERT_TRUE(log->create(256));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (u32 i = 1; !done; ++i) log->add(i, 1, LogKind::Read, {i, i}, i);
  });
  u64 seen = 0;
  while (seen < 100'000) {
    log->any_before(log->end(), [&](const AccessLog::Entry& entry, u64 position) {
      ++seen;
      EXPECT_EQ(entry.address(), position + 1);
      EXPECT_EQ(entry.time(), position + 1);
      EXPECT_EQ(entry.where().pc, position + 1);
      return false;
    });
  }
  done = true;
  writer.join();
}

}  // namespace
}  // namespace omen::rt::detect
