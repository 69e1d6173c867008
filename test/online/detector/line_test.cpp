/// \file
/// Lines: the words, what an access makes of them, the lock bit, and the same-epoch cases
/// (capture/runtime/detector/shadow_line.hpp).
#include "capture/runtime/detector/shadow_line.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace omen::rt::detect {
namespace {

constexpr ByteSet kLow = ByteSet::run(0, 8);
constexpr ByteSet kHigh = ByteSet::run(8, 8);

TEST(ShadowLine, IsEmptyAtFirst) {
  const auto line = std::make_unique<ShadowLine>();
  EXPECT_TRUE(line->is_empty());
  EXPECT_TRUE(line->is_plain(ByteSet::all()));
}

TEST(ShadowLine, KeepsItsWords) {
  const auto line = std::make_unique<ShadowLine>();
  const LineWord written{Word::of(3, 17), kLow, kHigh};
  const LineWord read{Word::of(4, 1), kHigh, {}};
  line->store_write(written);
  line->store_read(read);
  EXPECT_EQ(line->load_write(), written);
  EXPECT_EQ(line->load_read(), read);
}

TEST(ShadowLine, RepetitionsAreOfTheEpochAndTheBytes) {
  const auto line = std::make_unique<ShadowLine>();
  const Word now = Word::of(3, 17);
  line->store_write({now, kLow, kHigh});
  line->store_read({Word::of(3, 16), kHigh, {}});
  EXPECT_TRUE(is_repeated<true>(*line, now, kLow));
  EXPECT_TRUE(is_repeated<false>(*line, now, kLow));
  EXPECT_FALSE(is_repeated<true>(*line, now, kLow | kHigh));  // bounded bytes are of no epoch
  EXPECT_FALSE(is_repeated<false>(*line, now, kHigh));        // another epoch
  line->store_read({now, kHigh, {}});
  EXPECT_TRUE(is_repeated<false>(*line, now, kLow | kHigh));  // some were written, the others read
  EXPECT_FALSE(is_repeated<true>(*line, now, kHigh));
}

TEST(ShadowLine, AnAccessLeavesBounds) {
  const LineWord before{Word::of(2, 5), kLow | kHigh, {}};
  const Word now = Word::of(2, 9);
  EXPECT_EQ(with_access(before, now, kLow), (LineWord{now, kLow, kHigh}));
  EXPECT_EQ(with_access({now, kHigh, kLow}, now, kLow), (LineWord{now, kLow | kHigh, {}}));
  EXPECT_EQ(without_bytes(before, kLow), (LineWord{before.epoch, kHigh, {}}));
  EXPECT_EQ(without_bytes(before, ByteSet::all()), LineWord{});
}

/// The thread's own earlier accesses are of earlier epochs; those that it took over may have become known in this one.
TEST(ShadowLine, AWordThatTookBytesOverIsLoose) {
  const Word now = Word::of(2, 9);
  const LineWord own = with_access({Word::of(2, 5), kLow | kHigh, {}}, now, kLow);
  EXPECT_FALSE(own.is_loose());
  EXPECT_EQ(own.bound(), Word::of(2, 8));
  const LineWord taken = with_access({Word::of(1, 5), kLow | kHigh, {}}, now, kLow);
  EXPECT_TRUE(taken.is_loose());
  EXPECT_EQ(taken.bound(), now);
  EXPECT_EQ(taken.bounded_only(), kHigh);
  constexpr ByteSet kFirst = ByteSet::run(0, 1);
  const LineWord more = with_access(without_bytes(taken, kLow - kFirst), now, ByteSet::run(32, 4));
  EXPECT_TRUE(more.is_loose());  // in the same epoch
  EXPECT_TRUE(without_bytes(more, kFirst).is_loose());
  const LineWord later = with_access(more, Word::of(2, 10), kFirst);
  EXPECT_FALSE(later.is_loose());
  EXPECT_EQ(later.bound(), now);
  // Without bytes of the epoch itself the bound is the epoch.
  EXPECT_EQ(without_bytes(own, kLow), (LineWord{Word::of(2, 8), {}, kHigh}));
  EXPECT_EQ(without_bytes(taken, kLow), (LineWord{now, {}, kHigh}));
  EXPECT_TRUE(with_access({now, {}, kHigh}, now, kLow).is_loose());
  EXPECT_FALSE(with_access({now, {}, kHigh}, Word::of(2, 10), kLow).is_loose());
}

TEST(ShadowLine, OwnReadsAreSupersededByLaterOwnWrites) {
  const LineWord read{Word::of(1, 5), kLow | kHigh, {}};
  EXPECT_EQ(live_read({Word::of(1, 5), kLow, {}}, read), (LineWord{read.epoch, kHigh, {}}));
  EXPECT_EQ(live_read({Word::of(1, 6), ByteSet::all(), {}}, read), LineWord{});
  EXPECT_EQ(live_read({Word::of(1, 4), kLow, {}}, read), read);            // the write was before
  EXPECT_EQ(live_read({Word::of(2, 6), ByteSet::all(), {}}, read), read);  // another thread's
  const LineWord shared{ReaderSet().word(), {}, {}};
  EXPECT_EQ(live_read({Word::of(1, 6), ByteSet::all(), {}}, shared), shared);
}

TEST(ShadowLine, TheLockKeepsTheDetailAndOthersOut) {
  const auto line = std::make_unique<ShadowLine>();
  u64 sum = 0;  // guarded by the line's lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        line->lock();
        EXPECT_FALSE(line->is_plain({}));
        line->set_detail(static_cast<u32>(++sum));
        line->unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 20000U);
  EXPECT_EQ(line->detail(), 20000U);
  EXPECT_TRUE(line->is_plain(ByteSet::all()));
}

}  // namespace
}  // namespace omen::rt::detect
