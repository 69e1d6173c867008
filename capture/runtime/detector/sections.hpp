/// \file
/// The critical sections of one thread, published: which locks it held at which of its local times, and with which
/// clocks it released them. Others look here for rules (a) and (b) of the predictive relations. They take no lock.
///
/// The local time advances at every acquire and release, so a time determines the sections that its thread was in: a
/// *list*, named by its innermost section. A section refers to the one around it, so lists share their tails. Where a
/// lock is released that is not the innermost, the sections inside it are published again without it (`copy_of`).
///
/// Protocol. Records, lists and clocks are in rings. Only the owner writes (sync.cpp says who that is), and it
/// publishes the end of a ring after what it wrote. A list is published before its time is handed to anybody. A reader
/// copies what it wants, and then checks that the end is not so far that what it read may have been overwritten: if it
/// is, the answer is "forgotten". So memory is bounded, nothing is reclaimed, and no reader is waited for. What is
/// forgotten is taken for what happens-before would make of it (section_order.hpp).
///
/// The owner itself asks for the sections of its own earlier accesses most often: whether they were in one section, and
/// on which lock, is one word for each time (`sole_at`).
///
/// Most times of most threads are in no section. That is remembered for much longer, with a bit for each time.
#pragma once

#include <utility>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/relations/section_mode.hpp"
#include "capture/runtime/detector/word.hpp"

namespace omen::rt::detect {

/// Among those of its thread, from 1; as a list: that section and those around it.
using SectionNumber = u32;
inline constexpr SectionNumber kNoSection = 0;

/// What a reader gets.
struct Section {
  static constexpr Time kOpen = ~Time{0};
  LockId lock{};
  SectionMode mode{};
  Time acquired = 0;
  Time outermost_acquired = 0;  ///< when the outermost section of the list began
  Time released = kOpen;        ///< the local time that ended with it
  SectionNumber outer = kNoSection;
  SectionNumber previous = kNoSection;  ///< the thread's last one before on this lock, or on one of the same hash
  u32 clock = 0;                        ///< of its release
  LockSet locks;                        ///< of the list
};

/// All bits 0 is one that does not exist yet.
class Sections {
 public:
  enum class Memory : u8 { Remembered, Forgotten };
  /// So many local times ago there may be sections that will soon be forgotten.
  static constexpr Time kLongAgo = 3 * (Time{1} << 12);

  bool exists() const { return records_ != nullptr; }
  /// `own`: the owner will ask `sole_at`.
  bool create(bool own) {
    if (own) {
      soles_ = static_cast<Sole*>(map_memory(kTimes * sizeof(Sole)));
      if (soles_ == nullptr) return false;
    }
    records_ = static_cast<Record*>(map_memory(kSections * sizeof(Record)));
    lists_ = static_cast<std::atomic<u32>*>(map_memory(kTimes * sizeof(u32)));
    free_ = static_cast<std::atomic<u64>*>(map_memory(kFreeTimes / 8));
    latest_ = static_cast<std::atomic<u32>*>(map_memory(kPlaces * sizeof(u32)));
    records_end_.store(1, std::memory_order_relaxed);
    clocks_end_.store(1, std::memory_order_relaxed);
    return records_ != nullptr && lists_ != nullptr && free_ != nullptr && latest_ != nullptr;
  }

  // ---- The owner.

  struct Held {
    LockId lock{};
    SectionMode mode{};
    SectionNumber number = kNoSection;
  };
  /// Outermost first.
  const Vector<Held>& held() const { return held_; }
  SectionNumber current() const { return held_.empty() ? kNoSection : held_.back().number; }

  /// The sections of a local time, as far as one word says: none; one, exclusive, on that lock; or others.
  using Sole = u32;
  static constexpr Sole kFree = 0;
  static constexpr Sole kSeveral = ~Sole{0};
  static OMEN_INLINE Sole sole(LockId m) { return static_cast<u32>(m) + 1; }
  static Sole sole(const Held& held) { return held.mode == SectionMode::Exclusive ? sole(held.lock) : kSeveral; }
  bool has_soles() const { return soles_ != nullptr; }
  /// Of a time that has begun. `kSeveral` if it is long ago.
  OMEN_INLINE Sole sole_at(Time time) const {
    const Time end = times_end_.load(std::memory_order_relaxed);
    return end - time < kTimes - kMargin ? soles_[time % kTimes] : kSeveral;
  }
  /// One that has ended, halfway between the oldest that is remembered and the latest. False: there is none.
  bool middle(Section& found) const {
    const SectionNumber end = records_end_.load(std::memory_order_relaxed);
    if (end <= kSections / 2) return false;
    for (SectionNumber number = end - kSections / 2; number != end; ++number) {
      if (section(number, found) == Memory::Remembered && found.released != Section::kOpen) return true;
    }
    return false;
  }

  /// A thread begins, at this time.
  void begin(Time now) {
    held_.clear();
    put_lists(now);
  }
  /// The thread is about to end its time `now`, which it hands to others.
  void advance(Time now) { put_lists(now + 1); }
  void open(LockId m, SectionMode mode, Time now) {
    put_lists(now);
    if (!held_.empty() && records_end_ - held_.front().number > kSections / 2) publish_again(0);
    std::atomic<u32>& latest = latest_[place_of(m)];
    const SectionNumber previous = latest.load(std::memory_order_relaxed);
    const SectionNumber number = push(m, mode, now, kNoSection, previous);
    held_.push_back({m, mode, number});
    latest.store(number, std::memory_order_release);
    put_lists(now + 1);
  }
  /// `learned`: the thread has learned of others since its last release.
  void close(LockId m, Time released, const VectorClock& clock, bool learned) {
    put_lists(released);
    std::size_t i = held_.size();
    while (i > 0 && held_[i - 1].lock != m) --i;
    if (i == 0) return;
    SectionNumber number = held_[i - 1].number;
    const u32 kept = keep(clock, learned);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    publish_again(i - 1);
    while (number != kNoSection && records_end_ - number < kSections) {
      Record& record = records_[number % kSections];
      record.clock.store(kept, std::memory_order_relaxed);
      record.released.store(released, std::memory_order_release);
      number = record.copy_of.load(std::memory_order_relaxed);
    }
    put_lists(released + 1);
  }

  // ---- Everybody.

  /// The list of a local time that has begun.
  Memory list_at(Time time, SectionNumber& list) const {
    list = kNoSection;
    const Time end = times_end_.load(std::memory_order_acquire);
    if (time >= end) return end == 0 ? Memory::Remembered : list_at(end - 1, list);
    if (end - time < kTimes - kMargin) {
      list = lists_[time % kTimes].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (times_end_.load(std::memory_order_relaxed) - time < kTimes - kMargin) return Memory::Remembered;
    }
    list = kNoSection;
    if (end - time >= kFreeTimes - 64 * kMargin) return Memory::Forgotten;
    const bool free = (free_[time % kFreeTimes / 64].load(std::memory_order_relaxed) >> (time % 64) & 1) != 0;
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool still = times_end_.load(std::memory_order_relaxed) - time < kFreeTimes - 64 * kMargin;
    return free && still ? Memory::Remembered : Memory::Forgotten;
  }

  Memory section(SectionNumber number, Section& section) const {
    const Record& record = records_[number % kSections];
    section.released = record.released.load(std::memory_order_acquire);
    section.clock = record.clock.load(std::memory_order_relaxed);
    section.lock = LockId{record.lock.load(std::memory_order_relaxed)};
    section.mode = record.mode.load(std::memory_order_relaxed);
    section.acquired = record.acquired.load(std::memory_order_relaxed);
    section.outermost_acquired = record.outermost_acquired.load(std::memory_order_relaxed);
    section.outer = record.outer.load(std::memory_order_relaxed);
    section.previous = record.previous.load(std::memory_order_relaxed);
    section.locks = LockSet::of_bits(record.locks.load(std::memory_order_relaxed));
    std::atomic_thread_fence(std::memory_order_acquire);
    const SectionNumber end = records_end_.load(std::memory_order_relaxed);
    return end - number < kSections - kMargin ? Memory::Remembered : Memory::Forgotten;
  }
  /// Calls `visit(section)` for the sections of a list, innermost first, until it returns true.
  template <class Visit>
  Memory any(SectionNumber list, Visit visit) const {
    Section each;
    for (; list != kNoSection; list = each.outer) {
      if (section(list, each) == Memory::Forgotten) return Memory::Forgotten;
      if (visit(std::as_const(each))) break;
    }
    return Memory::Remembered;
  }
  /// The same of those on m that began before a local time, the latest first.
  template <class Visit>
  Memory any_on(LockId m, Time until, Visit visit) const {
    Section each;
    if (!exists()) return Memory::Remembered;
    for (SectionNumber number = latest_[place_of(m)].load(std::memory_order_acquire); number != kNoSection;
         number = each.previous) {
      if (section(number, each) == Memory::Forgotten) return Memory::Forgotten;
      if (each.lock == m && each.acquired < until && visit(std::as_const(each))) break;
    }
    return Memory::Remembered;
  }
  /// The clock with which the thread, which has this slot, released a section.
  Memory release_clock(const Section& section, Slot slot, VectorClock& clock) const {
    u32 at = rings_made_.load(std::memory_order_acquire);
    u32 end = clocks_end_.load(std::memory_order_acquire);
    while (at > 0 && rings_[at - 1].first > section.clock) --at;
    if (at == 0) return Memory::Forgotten;
    const Ring& ring = rings_[at - 1];
    const std::atomic<Time>* const row = ring.row(section.clock);
    clock.clear();
    for (u32 i = ring.width; i-- > 0;) {
      const Time time = row[i].load(std::memory_order_relaxed);
      if (time != 0 || clock.size() != 0) clock.set(ThreadId{i}, time);
    }
    clock.set(ThreadId{slot}, section.released);
    std::atomic_thread_fence(std::memory_order_acquire);
    end = at < rings_made_.load(std::memory_order_relaxed) ? rings_[at].first
                                                           : clocks_end_.load(std::memory_order_relaxed);
    return end - section.clock < ring.capacity - kMargin ? Memory::Remembered : Memory::Forgotten;
  }
  /// All sections that began before this time and are forgotten have ended, but for those that are still open.
  Time remembered_since() const {
    const Time end = times_end_.load(std::memory_order_acquire);
    return end < kTimes - kMargin ? 0 : end - (kTimes - kMargin);
  }
  /// One more than the last time that is published.
  Time times_end() const { return times_end_.load(std::memory_order_acquire); }

  u64 bytes() const {
    return !exists() ? 0
                     : resident_bytes(records_, kSections * sizeof(Record)) +
                           resident_bytes(lists_, kTimes * sizeof(u32)) + resident_bytes(free_, kFreeTimes / 8) +
                           (soles_ == nullptr ? 0 : resident_bytes(soles_, kTimes * sizeof(Sole)));
  }
  /// How many sections are remembered.
  u64 size() const {
    const SectionNumber end = records_end_.load(std::memory_order_relaxed);
    return end - 1 < kSections ? end - 1 : kSections;
  }

 private:
  static constexpr u32 kSections = u32{1} << 13;
  static constexpr u32 kTimes = 2 * kSections;
  static constexpr u32 kFreeTimes = u32{1} << 20;
  static constexpr u32 kMargin = 64;  ///< that the owner may be ahead of what it has published
  static constexpr u32 kPlaces = 1024;
  static constexpr u32 kClockBytes = 512U << 10;  ///< of release clocks; of many threads' ones there are fewer

  struct Record {
    std::atomic<u32> lock;
    std::atomic<SectionMode> mode;
    std::atomic<Time> acquired;
    std::atomic<Time> outermost_acquired;
    std::atomic<Time> released;
    std::atomic<SectionNumber> outer;
    std::atomic<SectionNumber> copy_of;
    std::atomic<SectionNumber> previous;
    std::atomic<u32> clock;
    std::atomic<u64> locks;
  };
  /// Release clocks of one width.
  struct Ring {
    u32 first;
    u32 width;
    u32 capacity;
    std::atomic<Time>* rows;
    std::atomic<Time>* row(u32 clock) const { return rows + std::size_t{clock % capacity} * width; }
  };
  static constexpr u32 kRings = 16;

  static u32 place_of(LockId m) { return static_cast<u32>(m) % kPlaces; }

  /// What the current list is goes on record for all times up to this one.
  void put_lists(Time until) {
    Time time = times_end_.load(std::memory_order_relaxed);
    const SectionNumber list = current();
    if (time > until) {  // the step that was to end the time has not: the same again
      if (until + 1 == time) put_list(until, list);
      return;
    }
    if (until - time > kTimes) time = until - kTimes;  // a slot that was another's; nobody was in a section
    for (; time <= until; ++time) {
      put_list(time, list);
      times_end_.store(time + 1, std::memory_order_release);
    }
  }
  void put_list(Time time, SectionNumber list) {
    lists_[time % kTimes].store(list, std::memory_order_relaxed);
    std::atomic<u64>& free = free_[time % kFreeTimes / 64];
    const u64 bit = u64{1} << (time % 64);
    if (soles_ != nullptr)
      soles_[time % kTimes] = held_.empty() ? kFree : held_.size() == 1 ? sole(held_[0]) : kSeveral;
    const u64 others = time % 64 == 0 ? 0 : free.load(std::memory_order_relaxed) & ~bit;
    free.store(others | (list == kNoSection ? bit : 0), std::memory_order_relaxed);
  }

  SectionNumber push(LockId m, SectionMode mode, Time acquired, SectionNumber copy_of, SectionNumber previous) {
    const SectionNumber number = records_end_.load(std::memory_order_relaxed);
    Record& record = records_[number % kSections];
    Time outermost = acquired;
    LockSet locks(m);
    const SectionNumber outer = current();
    if (outer != kNoSection) {
      const Record& around = records_[outer % kSections];
      outermost = around.outermost_acquired.load(std::memory_order_relaxed);
      locks = locks | LockSet::of_bits(around.locks.load(std::memory_order_relaxed));
    }
    record.lock.store(static_cast<u32>(m), std::memory_order_relaxed);
    record.mode.store(mode, std::memory_order_relaxed);
    record.acquired.store(acquired, std::memory_order_relaxed);
    record.outermost_acquired.store(outermost, std::memory_order_relaxed);
    record.released.store(Section::kOpen, std::memory_order_relaxed);
    record.outer.store(outer, std::memory_order_relaxed);
    record.copy_of.store(copy_of, std::memory_order_relaxed);
    record.previous.store(previous, std::memory_order_relaxed);
    record.clock.store(0, std::memory_order_relaxed);
    record.locks.store(locks.bits(), std::memory_order_relaxed);
    records_end_.store(number + 1, std::memory_order_release);
    return number;
  }
  /// The sections from one on, in what is around them now.
  void publish_again(std::size_t from) {
    Vector<Held> inside(held_.begin() + static_cast<std::ptrdiff_t>(from), held_.end());
    held_.resize(from);
    for (Held& each : inside) {
      const Record& old = records_[each.number % kSections];
      const SectionNumber number = push(each.lock, each.mode, old.acquired.load(std::memory_order_relaxed), each.number,
                                        old.previous.load(std::memory_order_relaxed));
      held_.push_back({each.lock, each.mode, number});
      std::atomic<u32>& latest = latest_[place_of(each.lock)];
      if (latest.load(std::memory_order_relaxed) == each.number) latest.store(number, std::memory_order_release);
    }
  }

  /// The number under which a clock is kept: the last one's, if the thread has learned nothing since. Then they differ
  /// by its own time alone, which the section has.
  u32 keep(const VectorClock& clock, bool learned) {
    const u32 end = clocks_end_.load(std::memory_order_relaxed);
    const u32 made = rings_made_.load(std::memory_order_relaxed);
    if (!learned && made != 0 && end > rings_[made - 1].first) return end - 1;
    const u32 size = static_cast<u32>(clock.size());
    if (made == 0 || size > rings_[made - 1].width) make_ring(size, end);
    const u32 now = rings_made_.load(std::memory_order_relaxed);
    if (now == 0) return 0;
    const Ring& ring = rings_[now - 1];
    std::atomic<Time>* const row = ring.row(end);
    for (u32 i = 0; i < ring.width; ++i) row[i].store(clock[ThreadId{i}], std::memory_order_relaxed);
    clocks_end_.store(end + 1, std::memory_order_release);
    return end;
  }
  OMEN_NOINLINE void make_ring(u32 size, u32 first) {
    const u32 made = rings_made_.load(std::memory_order_relaxed);
    u32 width = 16;
    while (width < size) width *= 2;
    u32 capacity = kClockBytes / (width * static_cast<u32>(sizeof(Time)));
    if (capacity < 4 * kMargin) capacity = 4 * kMargin;
    void* const rows = made == kRings ? nullptr : map_memory(std::size_t{capacity} * width * sizeof(Time));
    if (rows == nullptr) return;
    rings_[made] = {first, width, capacity, static_cast<std::atomic<Time>*>(rows)};
    rings_made_.store(made + 1, std::memory_order_release);
  }

  Vector<Held> held_;
  Sole* soles_ = nullptr;  ///< by time; of the owner alone
  Record* records_ = nullptr;
  std::atomic<u32>* lists_ = nullptr;          ///< by time
  std::atomic<u64>* free_ = nullptr;           ///< by time: a bit for those in no section
  std::atomic<u32>* latest_ = nullptr;         ///< by `place_of` a lock: the last section on such a one
  std::atomic<SectionNumber> records_end_{0};  ///< from 1 on, as that of the clocks
  std::atomic<Time> times_end_{0};
  std::atomic<u32> clocks_end_{0};
  std::atomic<u32> rings_made_{0};
  Ring rings_[kRings] = {};
};

}  // namespace omen::rt::detect
