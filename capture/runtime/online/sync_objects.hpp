/// \file
/// The program's locks, atomics and barriers by their address. They are made and forgotten by a thread that is alone in
/// the analysis (analysis_lock.hpp), found by whoever is inside, and changed by whoever holds their guard, or is alone.
/// Each is in two chains: one of its address, to be found by, and one of all that lie near it, to be forgotten with its
/// memory. The heads of the latter are looked at from outside too: they tell whoever frees memory that there is nothing
/// in it.
#pragma once

#include <new>

#include "analysis/memory.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

/// What a lock needs lies in one line, and no two objects share one.
struct alignas(64) SyncObject {
  static constexpr u32 kNobody = ~u32{0};

  uptr address = 0;
  u32 next = 0;    ///< in the chain of those near it: 1 + index; of a free one: the next free one
  SpinLock guard;  ///< of what follows, and of what the analysis has of the object
  // As a lock.
  u32 holder = kNobody;
  u32 depth = 0;
  struct Reader {
    u32 slot;
    u32 depth;
    u32 before = 0;  ///< as `before`, of this reader
  };
  u32 latest = kNobody;    ///< the exclusive holder, or the latest one
  u32 before = 0;          ///< its local time before it took the lock
  bool irregular = false;  ///< used in a way that no critical section describes: it orders like an atomic
  u32 next_found = 0;      ///< in the chain of its address, as `next`
  // Whose release tells all that there is to learn here, as a word (cell.hpp); 0: nobody's alone, or nothing is known.
  u64 released = 0;             ///< of the lock
  std::atomic<u64> stored = 0;  ///< of the atomic; read without the guard too
  Vector<Reader> readers;
  Vector<Reader> waiting;  ///< at a condition variable: their depth is what they get back

  bool is_in_use() const { return holder != kNobody || !readers.empty() || !waiting.empty(); }
  /// It is forgotten. Nobody uses it.
  void clear() {
    address = 0;
    next = 0;
    next_found = 0;
    latest = kNobody;
    irregular = false;
    released = 0;
    stored.store(0, std::memory_order_relaxed);
  }
};

static_assert(sizeof(SyncObject) == 128);

class SyncObjects {
 public:
  using Number = u32;

  /// No analysis remembers an object that is forgotten: its number may be another's at once.
  void use_numbers_again() { rested_ = 0; }

  bool create() {
    heads_ = static_cast<std::atomic<u32>*>(map_memory(kHeads * sizeof(u32)));
    found_ = static_cast<u32*>(map_memory(kHeads * sizeof(u32)));
    return heads_ != nullptr && found_ != nullptr;
  }

  static constexpr Number kNone = ~Number{0};

  /// The address of what stands for the state behind a lock that nobody sees (foreign/hidden_state.hpp). It is
  /// forgotten with the lock.
  static constexpr uptr opaque(uptr lock) { return lock | kOpaque; }

  /// The number of the object, which serves as its LockId, AtomicId and BarrierId; `kNone` if it is not known. `likely`
  /// is the one that it had when the caller asked last: nothing else is looked at then.
  Number find(uptr address, Number likely) {
    return likely < count_ && (*this)[likely].address == address ? likely : find(address);
  }
  Number find(uptr address) {
    for (u32 at = found_[place_of(address)]; at != 0;) {
      const SyncObject& object = (*this)[at - 1];
      if (object.address == address) return at - 1;
      at = object.next_found;
    }
    return kNone;
  }
  /// Of one that is not known. Numbers are dense.
  Number make(uptr address) {
    u32 at = oldest_free_;
    if (free_count_ > rested_) {
      oldest_free_ = (*this)[at - 1].next;
      --free_count_;
    } else {
      if (count_ % kPerBlock == 0) blocks_.push_back(new (arena_allocate(sizeof(Block))) Block);
      at = ++count_;
    }
    std::atomic<u32>& head = head_of(address);
    SyncObject& object = (*this)[at - 1];
    object.address = address;
    object.next = head.load(std::memory_order_relaxed);
    head.store(at, std::memory_order_relaxed);
    u32& found = found_[place_of(address)];
    object.next_found = found;
    found = at;
    live_.fetch_add(1, std::memory_order_relaxed);
    return at - 1;
  }
  SyncObject& operator[](Number number) { return blocks_[number / kPerBlock]->objects[number % kPerBlock]; }

  /// Whether there may be an object in [begin, end). Needs no lock.
  bool may_have(uptr begin, uptr end) const {
    if (heads_ == nullptr || live_.load(std::memory_order_relaxed) == 0) return false;
    if (end - begin > kFew * kGranule) return true;
    for (uptr at = begin & ~(kGranule - 1); at < end; at += kGranule) {
      if (head_of(at).load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  /// Forgets the objects in [begin, end) that are not in use, and tells `gone(number)` of each.
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
  static constexpr uptr kGranule = 256;
  static constexpr uptr kFew = 4096;
  static constexpr std::size_t kHeads = 1U << 16;

  static constexpr uptr kOpaque = uptr{1} << 62;  ///< no memory has such an address
  static uptr memory_of(uptr address) { return address & ~kOpaque; }

  std::atomic<u32>& head_of(uptr address) const {
    return heads_[((memory_of(address) / kGranule) * 0x9E3779B97F4A7C15ULL) >> 48];
  }

  static std::size_t place_of(uptr address) { return (address * 0x9E3779B97F4A7C15ULL) >> 48; }

  /// Nobody finds it any more.
  void lose(const SyncObject& object) {
    u32* link = &found_[place_of(object.address)];
    while (&(*this)[*link - 1] != &object) link = &(*this)[*link - 1].next_found;
    *link = object.next_found;
  }

  template <class Gone>
  void remove_from(std::atomic<u32>& head, uptr begin, uptr end, Gone& gone) {
    u32 before = 0;
    for (u32 at = head.load(std::memory_order_relaxed); at != 0;) {
      SyncObject& object = (*this)[at - 1];
      const u32 next = object.next;
      if (const uptr at_memory = memory_of(object.address);
          at_memory >= begin && at_memory < end && !object.is_in_use()) {
        gone(at - 1);
        if (before == 0) {
          head.store(next, std::memory_order_relaxed);
        } else {
          (*this)[before - 1].next = next;
        }
        lose(object);
        object.clear();
        if (free_count_++ == 0) {
          oldest_free_ = at;
        } else {
          (*this)[latest_free_ - 1].next = at;
        }
        latest_free_ = at;
        live_.fetch_sub(1, std::memory_order_relaxed);
      } else {
        before = at;
      }
      at = next;
    }
  }

  std::atomic<u32>* heads_ = nullptr;  ///< of what lies near each other
  u32* found_ = nullptr;               ///< of what has an address of the same place; changed by who is alone
  /// Objects do not move.
  static constexpr u32 kPerBlock = 256;
  struct Block {
    SyncObject objects[kPerBlock];
  };
  Vector<Block*> blocks_;
  u32 count_ = 0;
  // Free numbers, in the order in which they became free, linked by `next`.
  u32 oldest_free_ = 0;
  u32 latest_free_ = 0;
  u32 free_count_ = 0;
  /// A number rests until so many others are free: sections on a lock that had it may still be remembered.
  u32 rested_ = 8192;
  std::atomic<u64> live_{0};  ///< read without the lock too
};

}  // namespace omen::rt::online
