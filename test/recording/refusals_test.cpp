/// \file
/// Failed attempts to take a lock: the positions of their loads in the trace, and the order that they imply. The judge
/// runs random programs on locks that are taken before they are recorded and released after it, and follows every
/// witness of the search over all reorderings: where a thread finds a lock taken, another thread holds it.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "capture/recording/convert.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/recording/raw_writer.hpp"
#include "trace/formats/format.hpp"

namespace omen::recording {
namespace {

using raw::RawOp;

constexpr std::uint64_t kLock = 0x100;
constexpr std::uint64_t kMutex = 0x200;
constexpr std::uint64_t kData = 0x1000;

Trace converted(const RawWriter& raw) {
  const std::string base =
      (std::filesystem::temp_directory_path() / ("omen-refusals-" + std::to_string(getpid()))).string();
  raw.write(base + ".raw");
  const auto result = convert(base + ".raw", base + ".omen");
  EXPECT_TRUE(result) << result.error().text();
  auto trace = load(std::move(*open_trace(base + ".omen")));  // which also says whether it is well formed
  EXPECT_TRUE(trace) << trace.error().text();
  std::filesystem::remove(base + ".raw");
  std::filesystem::remove(base + ".omen");
  return std::move(*trace);
}

std::string text(const Trace& trace) {
  std::string all;
  for (const Event& event : trace.events) {
    const std::string line = to_text(event, trace.names);
    all += line.substr(0, line.rfind('|')) + "\n";
  }
  return all;
}

TEST(Refusals, AnAttemptStaysInTheSectionThatRefusedIt) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(1, 2, RawOp::Refused, kLock);
  raw.add(0, 3, RawOp::Release, kLock);
  raw.add(0, 4, RawOp::Acquire, kLock);
  raw.add(0, 5, RawOp::Release, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|acq(0x100)\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "main|store.relaxed(0x100 held by main)\nmain|rel(0x100)\nmain|acq(0x100)\nmain|rel(0x100)\n");
}

TEST(Refusals, AnAttemptIsRecordedAfterTheSectionsEnd) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(0, 2, RawOp::Release, kLock);
  raw.add(1, 3, RawOp::Refused, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|acq(0x100)\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "main|store.relaxed(0x100 held by main)\nmain|rel(0x100)\n");
}

/// The thread has had another record since the section's end, so the lock was not released yet.
TEST(Refusals, AnAttemptBetweenTheRecordedAndTheTrueEnd) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(0, 2, RawOp::Release, kLock);
  raw.add(1, 3, RawOp::Acquire, kMutex);
  raw.add(1, 4, RawOp::Refused, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|acq(0x100)\nmain|store.release(0x100 held by main)\nmain|rel(0x100)\nT1|acq(0x200)\n"
            "T1|load.acquire(0x100 held by main)\n");
}

TEST(Refusals, AnAttemptIsRecordedBeforeTheSectionsStart) {
  RawWriter raw;
  raw.add(1, 1, RawOp::Refused, kLock);
  raw.add(0, 2, RawOp::Acquire, kLock);
  raw.add(0, 3, RawOp::Release, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|acq(0x100)\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "main|store.relaxed(0x100 held by main)\nmain|rel(0x100)\n");
}

/// The holder had the lock already, because it has no other record before its acquire.
TEST(Refusals, AnAttemptBetweenTheTrueAndTheRecordedStart) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Begin);
  raw.add(1, 2, RawOp::Begin);
  raw.add(1, 3, RawOp::Refused, kLock);
  raw.add(1, 4, RawOp::Acquire, kMutex);
  raw.add(0, 5, RawOp::Acquire, kLock);
  raw.add(0, 6, RawOp::Release, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|begin\nT1|begin\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "T1|acq(0x200)\nmain|acq(0x100)\nmain|store.relaxed(0x100 held by main)\nmain|rel(0x100)\n");
}

TEST(Refusals, NothingIsKnownOfALockThatNobodyHas) {
  RawWriter raw;
  raw.add(1, 1, RawOp::Refused, kLock);
  raw.add(1, 2, RawOp::Acquire, kMutex);
  raw.add(0, 3, RawOp::Acquire, kLock);
  EXPECT_EQ(text(converted(raw)), "T1|acq(0x200)\nmain|acq(0x100)\n");
}

TEST(Refusals, AThreadMayRefuseItself) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(0, 2, RawOp::Refused, kLock);
  EXPECT_EQ(text(converted(raw)), "main|acq(0x100)\n");
}

TEST(Refusals, AReaderIsRefusedByTheWriter) {
  RawWriter raw;
  raw.add(0, 1, RawOp::AcquireShared, kLock);
  raw.add(1, 2, RawOp::Refused, kLock);  // exclusive: by the reader
  raw.add(0, 3, RawOp::Release, kLock);
  raw.add(2, 4, RawOp::Acquire, kLock);
  raw.add(1, 5, RawOp::Refused, kLock, 1);
  EXPECT_EQ(text(converted(raw)),
            "main|racq(0x100)\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "main|store.relaxed(0x100 held by main)\nmain|rrel(0x100)\nT2|acq(0x100)\n"
            "T2|store.release(0x100 held by T2)\nT1|load.acquire(0x100 held by T2)\n");
}

/// A condition wait ends a section, and the wake begins another.
TEST(Refusals, AWaitEndsTheSection) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(1, 2, RawOp::Refused, kLock);
  raw.add(0, 3, RawOp::Wait, kLock);
  raw.add(0, 4, RawOp::Wake, kLock);
  raw.add(1, 5, RawOp::Refused, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|acq(0x100)\nmain|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n"
            "main|store.relaxed(0x100 held by main)\nmain|wait(0x100)\nmain|wake(0x100)\n"
            "main|store.release(0x100 held by main)\nT1|load.acquire(0x100 held by main)\n");
}

/// A loop until the lock is taken. A thread that gives up, or does something in between, has made an attempt that
/// counts.
TEST(Refusals, ALoopThatTriesWaits) {
  for (const bool attempt : {false, true}) {
    for (const bool meanwhile : {false, true}) {
      for (const std::uint64_t refused : {1U, 3U, 5U}) {  // before the section, in it, after it
        RawWriter raw;
        raw.add(1, refused, RawOp::Refused, kLock);
        raw.add(0, 2, RawOp::Acquire, kLock);
        raw.add(0, 4, RawOp::Release, kLock);
        raw.add(1, refused, RawOp::DefineNode, 0x4000, 0, 1);
        raw.more(1, 0);
        if (meanwhile) raw.add(1, 6, RawOp::Acquire, kMutex);
        raw.add(1, 7, RawOp::Acquire, kLock, attempt ? 1 : 0);
        const std::string trace = text(converted(raw));
        EXPECT_EQ(trace.contains("load"), !attempt || meanwhile) << trace;
      }
    }
  }
}

/// A lock that is used irregularly is an atomic, and the attempt loads it.
TEST(Refusals, IrregularLocksAreAtomics) {
  RawWriter raw;
  raw.add(0, 1, RawOp::Acquire, kLock);
  raw.add(1, 2, RawOp::Refused, kLock);
  raw.add(1, 3, RawOp::Release, kLock);
  EXPECT_EQ(text(converted(raw)),
            "main|rmw.acquire(lock 0x100)\nT1|load.relaxed(lock 0x100)\nT1|rmw.release(lock 0x100)\n");
}

/// A semaphore: the attempt comes after the threads that took tokens, and before they take more.
TEST(Refusals, WhatWasTakenIsNotThere) {
  RawWriter raw;
  raw.add(0, 1, RawOp::SyncRelease, kLock);
  raw.add(0, 2, RawOp::SyncTake, kLock);
  raw.add(1, 3, RawOp::SyncRefused, kLock);
  raw.add(0, 4, RawOp::SyncTake, kMutex);  // no attempt at this one
  EXPECT_EQ(text(converted(raw)),
            "main|rmw.release(0x100)\nmain|load.acquire(0x100)\nmain|store.release(0x100 taken by main)\n"
            "T1|load.relaxed(0x100)\nT1|load.acquire(0x100 taken by main)\nmain|load.acquire(0x200)\n");
}

/// A lock as the program sees it.
struct TrueLock {
  int writer = -1;
  std::set<int> readers;
  bool free_for(bool shared) const { return writer < 0 && (shared || readers.empty()); }
};

enum class Act { Lock, LockShared, Try, TryShared, Unlock, Access };

/// A program that runs in a random order. An operation has a step on the lock and a step on the record, which may be
/// far apart: a lock is taken first and then recorded, and released last.
class Machine {
 public:
  Machine(std::uint32_t seed, bool apart) : random_(seed), apart_(apart) {
    threads_.resize(2 + below(2));
    for (std::uint32_t i = 0; i < threads_.size(); ++i) threads_[i].acts = 3 + below(4);
  }

  RawWriter run() {
    for (int stuck = 0; stuck < 200;) {
      const auto i = below(static_cast<std::uint32_t>(threads_.size()));
      stuck = advance(i) ? 0 : stuck + 1;
      if (!apart_) {
        while (threads_[i].later || threads_[i].unlock) advance(i);
      }
    }
    return raw_;
  }
  std::size_t refused() const { return refused_; }
  const std::vector<std::vector<std::uint32_t>>& order() const { return order_; }

 private:
  struct Record {
    RawOp op;
    std::uint64_t address;
    std::uint64_t length;
  };
  struct Thread {
    std::uint32_t acts = 0;
    std::optional<Record> later;          ///< executed, not recorded yet
    std::optional<std::uint64_t> unlock;  ///< recorded, not executed yet
    std::map<std::uint64_t, bool> held;   ///< value: in shared mode
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  void record(std::uint32_t i, const Record& what) {
    order_.resize(threads_.size());
    order_[i].push_back(++node_);
    raw_.add(i, ++number_, what.op, what.address, what.length, node_);
  }

  bool advance(std::uint32_t i) {
    Thread& self = threads_[i];
    if (self.later) {
      record(i, *std::exchange(self.later, std::nullopt));
      return true;
    }
    if (self.unlock) {
      TrueLock& lock = locks_[*self.unlock];
      if (lock.writer == static_cast<int>(i)) lock.writer = -1;
      lock.readers.erase(static_cast<int>(i));
      self.unlock.reset();
      return true;
    }
    if (self.acts == 0) return false;
    const std::uint64_t address = below(3) == 0 ? kMutex : kLock;
    const bool holds = self.held.contains(address);
    switch (static_cast<Act>(below(6))) {
      case Act::Lock:
        return !holds && locks_[address].free_for(false) && take(i, address, false);
      case Act::LockShared:
        return address == kLock && !holds && locks_[address].free_for(true) && take(i, address, true);
      case Act::Try:
        return !holds && attempt(i, address, false);
      case Act::TryShared:
        return address == kLock && !holds && attempt(i, address, true);
      case Act::Unlock:
        if (!holds) return false;
        --self.acts;
        record(i, {RawOp::Release, address, 0});
        self.held.erase(address);
        self.unlock = address;
        return true;
      case Act::Access:
        --self.acts;
        record(i, {below(2) == 0 ? RawOp::Read : RawOp::Write, kData + 8 * below(2), 8});
        return true;
    }
    return false;
  }
  bool take(std::uint32_t i, std::uint64_t address, bool shared) {
    Thread& self = threads_[i];
    --self.acts;
    if (shared) {
      locks_[address].readers.insert(static_cast<int>(i));
    } else {
      locks_[address].writer = static_cast<int>(i);
    }
    self.held[address] = shared;
    self.later = Record{shared ? RawOp::AcquireShared : RawOp::Acquire, address, 0};
    return true;
  }
  bool attempt(std::uint32_t i, std::uint64_t address, bool shared) {
    if (locks_[address].free_for(shared)) return take(i, address, shared);
    --threads_[i].acts;
    ++refused_;
    threads_[i].later = Record{RawOp::Refused, address, shared ? 1U : 0U};
    return true;
  }

  std::mt19937 random_;
  bool apart_;
  std::vector<Thread> threads_;
  std::map<std::uint64_t, TrueLock> locks_;
  RawWriter raw_;
  std::uint64_t number_ = 0;
  std::uint32_t node_ = 0;
  std::size_t refused_ = 0;
  std::vector<std::vector<std::uint32_t>> order_;  ///< by thread: the nodes of its records
};

/// The holders of each lock, by the lock's name, as events go by.
class Holders {
 public:
  void step(const Trace& trace, const Event& event) {
    auto& holders = holders_[trace.names.of(event.lock())];
    if (event.op == Op::Acquire || event.op == Op::AcquireShared) holders.insert(trace.names.of(event.thread));
    if (event.op == Op::Release || event.op == Op::ReleaseShared) holders.erase(trace.names.of(event.thread));
  }
  /// True if the statement `0x100 held by T1` holds.
  bool is_true(const std::string& held_by) const {
    const std::size_t middle = held_by.find(" held by ");
    const auto lock = holders_.find(held_by.substr(0, middle));
    return lock != holders_.end() && lock->second.contains(held_by.substr(middle + 9));
  }

 private:
  std::map<std::string, std::set<std::string>> holders_;
};

bool is_lock_event(const Event& event) {
  return traits(event.op).operand == OperandKind::Lock;
}
bool is_refusal(const Event& event) {
  return event.op == Op::AtomicLoad;
}

/// The loads that the trace has inside a section of the named holder.
std::set<std::size_t> refused_by_a_section(const Trace& trace) {
  std::set<std::size_t> inside;
  Holders holders;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& event = trace.events[i];
    if (is_lock_event(event)) holders.step(trace, event);
    if (is_refusal(event) && holders.is_true(trace.names.of(OperandKind::Atomic)[event.operand])) inside.insert(i);
  }
  return inside;
}

Trace without_refusals(const Trace& trace) {
  Trace rest;
  for (const Event& event : trace.events) {
    Event copy = event;
    if (traits(event.op).operand == OperandKind::Atomic) continue;
    if (traits(event.op).operand != OperandKind::None) {
      copy.operand =
          rest.names.of(traits(event.op).operand).intern(trace.names.of(traits(event.op).operand)[event.operand]);
    }
    copy.thread = ThreadId{rest.names.of(OperandKind::Thread).intern(trace.names.of(event.thread))};
    rest.events.push_back(copy);
  }
  return rest;
}

TEST(Refusals, WhoFindsALockTakenInAWitnessIsRightThere) {
  constexpr std::size_t kStates = 20'000;
  std::size_t attempts = 0, loads = 0, followed = 0, moved = 0, excluded = 0, gaps = 0, lost = 0;
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool apart = seed % 3 == 0;
    Machine machine(seed, apart);
    const Trace trace = converted(machine.run());
    attempts += machine.refused();
    const std::set<std::size_t> inside = refused_by_a_section(trace);
    const auto count = static_cast<std::size_t>(std::ranges::count_if(trace.events, is_refusal));
    loads += count;
    gaps += count - inside.size();
    // Compares attempts with their records: each has its load, inside a section.
    lost += machine.refused() - count;
    if (!apart) {
      ASSERT_EQ(count, machine.refused()) << text(trace);
      ASSERT_EQ(inside.size(), count) << text(trace);
    }
    // Program order is that of the records.
    for (std::uint32_t t = 0; t < machine.order().size(); ++t) {
      std::vector<std::uint32_t> seen;
      for (const Event& event : trace.events) {
        const std::uint32_t node = static_cast<std::uint32_t>(event.location) & 0x7fffffffU;
        if (event.thread == ThreadId{t} && (seen.empty() || seen.back() != node)) seen.push_back(node);
      }
      ASSERT_TRUE(std::ranges::is_sorted(seen)) << text(trace);
    }
    if (count == 0) continue;
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, kStates);
    for (const judges::Pair& pair : search.pairs()) {
      const auto witness = *search.witness(pair);
      Holders holders;
      for (std::size_t at = 0; at + 2 < witness.size(); ++at) {
        const Event& event = trace.events[witness[at]];
        if (is_lock_event(event)) holders.step(trace, event);
        if (!is_refusal(event) || !inside.contains(witness[at])) continue;
        ASSERT_TRUE(holders.is_true(trace.names.of(OperandKind::Atomic)[event.operand])) << text(trace);
        ++followed;
        moved += witness[at] != at;
      }
    }
    // Without the attempts there would be pairs that no schedule brings together.
    const Trace rest = without_refusals(trace);
    const judges::ReorderingSearch free_search(rest, judges::Notion::Lw, kStates);
    if (search.complete() && free_search.complete()) excluded += free_search.pairs().size() - search.pairs().size();
  }
  RecordProperty("attempts", static_cast<int>(attempts));
  std::printf("%zu attempts, %zu loads (%zu outside of sections), %zu in witnesses (%zu moved), %zu pairs excluded\n",
              attempts, loads, gaps, followed, moved, excluded);
  EXPECT_LT(lost * 100, attempts);
  EXPECT_GT(followed, 1000U);
  EXPECT_GT(moved, 300U);
  EXPECT_GT(excluded, 50U);
  EXPECT_LT(gaps * 20, loads);
}

}  // namespace
}  // namespace omen::recording
