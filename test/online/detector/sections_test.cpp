/// \file
/// Published sections (capture/runtime/detector/sections.hpp) against a plain model that forgets nothing, and readers
/// beside the owner: what they get is right, or they are told that it is forgotten.
#include "capture/runtime/detector/sections.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace omen::rt::detect {
namespace {

using Memory = Sections::Memory;

/// A thread in slot 0 that takes and releases locks.
class Owner {
 public:
  explicit Owner(Sections& sections) : sections_(sections) {
    clock_.set(ThreadId{0}, now_);
    sections_.begin(now_);
  }
  void acquire(u32 lock) {
    sections_.open(LockId{lock}, SectionMode::Exclusive, now_);
    held_.push_back({lock, now_, Section::kOpen});
    tick();
  }
  void release(std::size_t which) {
    if (learns_) clock_.set(ThreadId{1}, clock_[ThreadId{1}] + 1);
    sections_.close(LockId{held_[which].lock}, now_, clock_, learns_);
    released_[now_] = clock_;
    ends_[{held_[which].lock, held_[which].acquired}] = now_;
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    tick();
  }
  void pass_time() {
    sections_.advance(now_);
    tick();
  }

  struct Held {
    u32 lock;
    Time acquired;
    Time released;
  };
  void learn(bool learns) { learns_ = learns; }
  Time now() const { return now_; }
  std::size_t depth() const { return held_.size(); }
  const std::map<Time, std::vector<Held>>& lists() const { return lists_; }
  Time end_of(const Held& held) const {
    const auto end = ends_.find({held.lock, held.acquired});
    return end == ends_.end() ? Section::kOpen : end->second;
  }
  const VectorClock& clock_at(Time time) const { return released_.at(time); }

 private:
  void tick() {
    clock_.tick(ThreadId{0});
    ++now_;
    lists_[now_] = held_;
  }
  Sections& sections_;
  VectorClock clock_;
  Time now_ = 1;
  bool learns_ = false;
  std::vector<Held> held_;
  std::map<Time, std::vector<Held>> lists_;
  std::map<std::pair<u32, Time>, Time> ends_;
  std::map<Time, VectorClock> released_;
};

/// True if the list of this time is remembered; it is as the model has it then.
bool is_right(const Sections& sections, const Owner& owner, Time time) {
  const std::vector<Owner::Held>& expected = owner.lists().at(time);
  SectionNumber list = kNoSection;
  if (sections.list_at(time, list) == Memory::Forgotten) return false;
  std::size_t left = expected.size();
  const Memory memory = sections.any(list, [&](const Section& section) {
    if (left == 0) {
      ADD_FAILURE() << "too many sections at " << time;
      return true;
    }
    const Owner::Held& held = expected[--left];
    EXPECT_EQ(static_cast<u32>(section.lock), held.lock);
    EXPECT_EQ(section.acquired, held.acquired);
    EXPECT_EQ(section.outermost_acquired, expected.front().acquired);
    EXPECT_EQ(section.released, owner.end_of(held));
    VectorClock clock;
    if (section.released != Section::kOpen && sections.release_clock(section, 0, clock) == Memory::Remembered) {
      EXPECT_EQ(clock[ThreadId{0}], section.released);
      EXPECT_EQ(clock[ThreadId{1}], owner.clock_at(section.released)[ThreadId{1}]);
    }
    return false;
  });
  if (memory == Memory::Forgotten) return false;
  EXPECT_EQ(left, 0U) << time;
  return true;
}

void run(Owner& owner, std::mt19937& random, int steps) {
  for (int i = 0; i < steps; ++i) {
    owner.learn(random() % 2 == 0);
    if (owner.depth() < 4 && random() % 2 == 0) {
      owner.acquire(static_cast<u32>(random() % 2000));
    } else if (owner.depth() > 0 && random() % 4 != 0) {
      owner.release(random() % 3 == 0 ? random() % owner.depth() : owner.depth() - 1);
    } else {
      owner.pass_time();
    }
  }
}

TEST(Sections, AgainstAModelThatForgetsNothing) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  std::mt19937 random(4);
  Owner owner(*sections);
  run(owner, random, 4000);
  std::size_t deep = 0;
  for (const auto& [time, list] : owner.lists()) {
    EXPECT_TRUE(is_right(*sections, owner, time));
    deep += list.size() > 1;
  }
  EXPECT_GT(deep, 400U);
}

TEST(Sections, OldOnesAreForgottenAndNoneIsWrong) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  std::mt19937 random(5);
  Owner owner(*sections);
  run(owner, random, 60000);
  std::size_t right = 0;
  std::size_t forgotten = 0;
  for (const auto& [time, list] : owner.lists()) (is_right(*sections, owner, time) ? right : forgotten) += 1;
  EXPECT_GT(right, 5000U);
  EXPECT_GT(forgotten, 5000U);
  // That it was in no section is remembered for longer.
  std::size_t free = 0;
  for (const auto& [time, list] : owner.lists()) {
    SectionNumber number = kNoSection;
    if (list.empty() && time < 10000) {
      EXPECT_EQ(sections->list_at(time, number), Memory::Remembered);
      EXPECT_EQ(number, kNoSection);
      ++free;
    }
  }
  EXPECT_GT(free, 100U);
}

TEST(Sections, OneWordForTheOwnersSections) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  std::mt19937 random(7);
  Owner owner(*sections);
  run(owner, random, 60000);
  std::size_t known = 0;
  std::size_t free = 0;
  for (const auto& [time, list] : owner.lists()) {
    const Sections::Sole sole = sections->sole_at(time);
    if (sole == Sections::kSeveral) continue;
    EXPECT_GT(time + 20000, owner.now());
    ASSERT_LT(list.size(), 2U);
    EXPECT_EQ(sole, list.empty() ? Sections::kFree : Sections::sole(LockId{list[0].lock}));
    list.empty() ? ++free : ++known;
  }
  EXPECT_GT(known, 1000U);
  EXPECT_GT(free, 1000U);
}

TEST(Sections, SharedOnesAreNotCoveredByAWord) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  sections->begin(1);
  sections->open(LockId{3}, SectionMode::Shared, 1);
  sections->open(LockId{4}, SectionMode::Exclusive, 2);
  EXPECT_EQ(sections->sole_at(1), Sections::kFree);
  EXPECT_EQ(sections->sole_at(2), Sections::kSeveral);
  EXPECT_EQ(sections->sole_at(3), Sections::kSeveral);
}

TEST(Sections, TheMiddleOneHasEnded) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  Owner owner(*sections);
  Section middle;
  owner.acquire(1);  // and holds it
  for (int i = 0; i < 1000; ++i) {
    owner.acquire(2);
    owner.release(1);
  }
  EXPECT_FALSE(sections->middle(middle));
  for (int i = 0; i < 20000; ++i) {
    owner.acquire(2);
    owner.release(1);
  }
  ASSERT_TRUE(sections->middle(middle));
  EXPECT_EQ(middle.lock, LockId{2});
  EXPECT_LT(middle.released, owner.now() - 4000);
  EXPECT_GT(middle.released, owner.now() - 12000);
}

TEST(Sections, AnOuterSectionOutlivesTheRing) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  Owner owner(*sections);
  owner.acquire(1);
  for (int i = 0; i < 40000; ++i) {
    owner.acquire(2);
    owner.release(1);
  }
  EXPECT_TRUE(is_right(*sections, owner, owner.now()));
  EXPECT_TRUE(is_right(*sections, owner, owner.now() - 1000));
  owner.release(0);
  EXPECT_TRUE(is_right(*sections, owner, owner.now() - 1000));  // it knows the end now
}

TEST(Sections, TheLastOneOnALock) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  Owner owner(*sections);
  std::vector<Time> began;
  for (int i = 0; i < 20; ++i) {
    for (const u32 lock : {5U, 1029U}) {  // of one hash
      if (lock == 5) began.push_back(owner.now());
      owner.acquire(lock);
      owner.release(0);
    }
  }
  for (std::size_t i = 1; i < began.size(); ++i) {
    Time found = 0;
    sections->any_on(LockId{5}, began[i], [&](const Section& section) {
      found = section.acquired;
      return true;
    });
    EXPECT_EQ(found, began[i - 1]);
  }
}

TEST(Sections, ManyThreadsMakeClocksWider) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  sections->begin(1);
  VectorClock clock;
  Time now = 1;
  for (u32 width = 1; width < 300; ++width) {
    clock.set(ThreadId{width}, width);
    clock.set(ThreadId{0}, now);
    sections->open(LockId{1}, SectionMode::Exclusive, now++);
    clock.set(ThreadId{0}, now);
    sections->close(LockId{1}, now++, clock, true);
    Section last;
    sections->any_on(LockId{1}, now, [&](const Section& section) {
      last = section;
      return true;
    });
    VectorClock found;
    ASSERT_EQ(sections->release_clock(last, 0, found), Memory::Remembered);
    for (u32 t = 1; t <= width; ++t) EXPECT_EQ(found[ThreadId{t}], t);
  }
}

TEST(Sections, ReadersBesideTheOwner) {
  const auto sections = std::make_unique<Sections>();
  ASSERT_TRUE(sections->create(true));
  sections->begin(1);
  std::atomic<bool> done{false};
  // The n-th section is on lock n, from 2n - 1 on, and ends at 2n, with n for thread 1.
  std::thread owner([&] {
    VectorClock clock;
    for (u32 n = 1; !done; ++n) {
      clock.set(ThreadId{0}, 2 * n - 1);
      sections->open(LockId{n}, SectionMode::Exclusive, 2 * n - 1);
      clock.set(ThreadId{0}, 2 * n);
      clock.set(ThreadId{1}, n);
      sections->close(LockId{n}, 2 * n, clock, true);
    }
  });
  std::mt19937 random(6);
  u64 remembered = 0;
  while (remembered < 20'000) {
    const Time end = sections->times_end();
    if (end < 100) continue;
    const u32 n = end / 2 - static_cast<u32>(random() % std::min<u32>(end / 2 - 1, 9000));
    SectionNumber list = kNoSection;
    if (sections->list_at(2 * n, list) == Memory::Forgotten) continue;
    Section section;
    if (list == kNoSection || sections->section(list, section) == Memory::Forgotten) continue;
    EXPECT_EQ(static_cast<u32>(section.lock), n);
    EXPECT_EQ(section.acquired, 2 * n - 1);
    VectorClock clock;
    if (section.released == Section::kOpen || sections->release_clock(section, 0, clock) == Memory::Forgotten) {
      continue;
    }
    EXPECT_EQ(section.released, 2 * n);
    EXPECT_EQ(clock[ThreadId{1}], n);
    ++remembered;
  }
  done = true;
  owner.join();
}

}  // namespace
}  // namespace omen::rt::detect
