/// \file
/// The program's locks, atomics and barriers by their address. The table is sharded: an object is found, made and
/// forgotten under the lock of its shard, and a thread finds those that it has used lately without any. What an object
/// says is changed under its guard.
///
/// Objects do not move and their memory is never used for anything else. So whoever was told of one takes its guard and
/// looks whether it still has the address.
#pragma once

#include "analysis/memory.hpp"
#include "capture/runtime/detector/word.hpp"

namespace omen::rt::detect {

/// What a lock needs lies in one cache line, and no two objects share one.
struct alignas(64) SyncObject {
  std::atomic<uptr> address{0};  ///< 0: it is forgotten
  u32 next = 0;                  ///< in the chain of its shard: 1 + number; of a free one: the next free one
  SpinLock guard;                ///< of what follows, and of what the order has of the object
  // As a lock.
  Slot holder = kNoSlot;
  u32 depth = 0;
  struct Reader {
    Slot slot;
    u32 depth;
    Time before = 0;  ///< as `before`, of this reader
  };
  Slot latest = kNoSlot;   ///< the exclusive holder, or the latest one
  Time before = 0;         ///< its local time before it took the lock
  bool irregular = false;  ///< used in a way that no critical section describes: it orders like an atomic
  // Whose release tells all that there is to learn here; none: nobody's alone, or nothing is known.
  Word released;               ///< of the lock
  std::atomic<u64> stored{0};  ///< of the atomic; read without the guard too
  Vector<Reader> readers;
  Vector<Reader> waiting;  ///< at a condition variable: their depth is what they get back

  bool is_in_use() const { return holder != kNoSlot || !readers.empty() || !waiting.empty(); }
  /// It is forgotten.
  void clear() {
    address.store(0, std::memory_order_relaxed);
    latest = kNoSlot;
    irregular = false;
    released = {};
    stored.store(0, std::memory_order_relaxed);
  }
};
static_assert(sizeof(SyncObject) == 128);

class SyncObjects {
 public:
  /// Serves as LockId, AtomicId and BarrierId. Dense.
  using Number = u32;
  static constexpr Number kNone = ~Number{0};

  bool create() {
    heads_ = static_cast<std::atomic<u32>*>(map_memory(kHeads * sizeof(u32)));
    return heads_ != nullptr;
  }
  /// No analysis remembers an object that is forgotten: its number may be another's at once.
  void use_numbers_again() { rested_ = 0; }

  /// The address of what stands for the state behind a lock that nobody sees (foreign/hidden_state.hpp). It is
  /// forgotten with the lock.
  static constexpr uptr opaque(uptr lock) { return lock | kOpaque; }

  SyncObject& operator[](Number number) { return objects_[number]; }

  Number find(uptr address) {
    std::atomic<u32>& head = head_of(address);
    if (head.load(std::memory_order_relaxed) == 0) return kNone;
    const SpinGuard guard(shard_of(head));
    return find_in(head, address);
  }
  /// The same; it is made if it is not known. `prepare(number)` is called before anybody can find a new one.
  template <class Prepare>
  Number find_or_make(uptr address, Prepare prepare) {
    std::atomic<u32>& head = head_of(address);
    const SpinGuard guard(shard_of(head));
    if (const Number found = find_in(head, address); found != kNone) return found;
    const Number number = take_number();
    prepare(number);
    SyncObject& object = objects_[number];
    object.address.store(address, std::memory_order_relaxed);
    object.next = head.load(std::memory_order_relaxed);
    head.store(number + 1, std::memory_order_release);
    live_.fetch_add(1, std::memory_order_relaxed);
    return number;
  }

  /// Whether there may be an object in [begin, end). Needs no lock.
  bool may_have(uptr begin, uptr end) const {
    if (live() == 0) return false;
    if (end - begin > kFew * kGranule) return true;
    for (uptr at = begin & ~(kGranule - 1); at < end; at += kGranule) {
      if (head_of(at).load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }
  /// Forgets the objects in [begin, end) that are not in use. Calls `gone(number)` of each, under its guard.
  template <class Gone>
  void remove(uptr begin, uptr end, Gone gone) {
    if (end - begin > kFew * kGranule) {
      for (std::size_t i = 0; i < kHeads; ++i) remove_from(heads_[i], begin, end, gone);
      return;
    }
    for (uptr at = begin & ~(kGranule - 1); at < end; at += kGranule) remove_from(head_of(at), begin, end, gone);
  }

  u64 live() const { return live_.load(std::memory_order_relaxed); }

 private:
  static constexpr uptr kGranule = 64;
  static constexpr uptr kFew = 4096;
  static constexpr std::size_t kHeads = 1U << 16;
  static constexpr std::size_t kShards = 1024;
  static constexpr uptr kOpaque = uptr{1} << 62;  ///< no memory has such an address

  static uptr memory_of(uptr address) { return address & ~kOpaque; }
  std::atomic<u32>& head_of(uptr address) const {
    return heads_[((memory_of(address) / kGranule) * 0x9E3779B97F4A7C15ULL) >> 48];
  }
  struct alignas(64) Shard {
    SpinLock lock;
  };
  SpinLock& shard_of(const std::atomic<u32>& head) {
    return shards_[static_cast<std::size_t>(&head - heads_) % kShards].lock;
  }

  Number find_in(const std::atomic<u32>& head, uptr address) {
    for (u32 at = head.load(std::memory_order_relaxed); at != 0; at = objects_[at - 1].next) {
      if (objects_[at - 1].address.load(std::memory_order_relaxed) == address) return at - 1;
    }
    return kNone;
  }

  template <class Gone>
  void remove_from(std::atomic<u32>& head, uptr begin, uptr end, Gone& gone) {
    if (head.load(std::memory_order_relaxed) == 0) return;
    const SpinGuard guard(shard_of(head));
    u32 before = 0;
    for (u32 at = head.load(std::memory_order_relaxed); at != 0;) {
      SyncObject& object = objects_[at - 1];
      const u32 next = object.next;
      if (forget(object, at - 1, begin, end, gone)) {
        if (before == 0) {
          head.store(next, std::memory_order_relaxed);
        } else {
          objects_[before - 1].next = next;
        }
        give_number(at - 1);
        live_.fetch_sub(1, std::memory_order_relaxed);
      } else {
        before = at;
      }
      at = next;
    }
  }
  template <class Gone>
  static bool forget(SyncObject& object, Number number, uptr begin, uptr end, Gone& gone) {
    const uptr memory = memory_of(object.address.load(std::memory_order_relaxed));
    if (memory < begin || memory >= end) return false;
    const SpinGuard guard(object.guard);
    if (object.is_in_use()) return false;
    gone(number);
    object.clear();
    return true;
  }

  Number take_number() {
    const SpinGuard guard(numbers_lock_);
    if (free_count_ > rested_) {
      const u32 at = oldest_free_;
      oldest_free_ = objects_[at - 1].next;
      --free_count_;
      return at - 1;
    }
    const auto number = static_cast<Number>(objects_.size());
    objects_.emplace_back();
    return number;
  }
  void give_number(Number number) {
    const SpinGuard guard(numbers_lock_);
    if (free_count_++ == 0) {
      oldest_free_ = number + 1;
    } else {
      objects_[latest_free_ - 1].next = number + 1;
    }
    latest_free_ = number + 1;
  }

  Table<SyncObject> objects_;
  std::atomic<u32>* heads_ = nullptr;  ///< of chains, by the hash of a granule of memory
  Shard shards_[kShards];
  std::atomic<u64> live_{0};
  SpinLock numbers_lock_;  ///< guards the rest
  // Free numbers, in the order in which they became free, linked by `next`.
  u32 oldest_free_ = 0;
  u32 latest_free_ = 0;
  u32 free_count_ = 0;
  /// A number rests until so many others are free: sections on a lock that had it may still be remembered.
  u32 rested_ = 8192;
};

}  // namespace omen::rt::detect
