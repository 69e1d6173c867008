/// \file
/// The program's locks, atomics and barriers by their address. All of it is guarded by the analysis lock, but for the
/// heads of the chains, which tell whoever frees memory that there is nothing in it.
#pragma once

#include "analysis/memory.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

struct SyncObject {
  static constexpr u32 kNobody = ~u32{0};

  uptr address = 0;
  u32 next = 0;  ///< in its chain: 1 + index; of a free one: the next free one
  // As a lock.
  u32 holder = kNobody;
  u32 depth = 0;
  struct Reader {
    u32 slot;
    u32 depth;
  };
  Vector<Reader> readers;
  Vector<Reader> waiting;  ///< at a condition variable: their depth is what they get back
  bool irregular = false;  ///< used in a way that no critical section describes: it orders like an atomic
};

class SyncObjects {
 public:
  using Number = u32;

  bool create() {
    heads_ = static_cast<std::atomic<u32>*>(map_memory(kHeads * sizeof(u32)));
    return heads_ != nullptr;
  }

  /// The number of the object, which is made if it is not known. It serves as its LockId, AtomicId and BarrierId.
  Number number_of(uptr address) {
    std::atomic<u32>& head = head_of(address);
    for (u32 at = head.load(std::memory_order_relaxed); at != 0; at = objects_[at - 1].next) {
      if (objects_[at - 1].address == address) return at - 1;
    }
    u32 at = oldest_free_;
    if (free_count_ > kRested) {
      oldest_free_ = objects_[at - 1].next;
      --free_count_;
    } else {
      objects_.emplace_back();
      at = static_cast<u32>(objects_.size());
    }
    objects_[at - 1].address = address;
    objects_[at - 1].next = head.load(std::memory_order_relaxed);
    head.store(at, std::memory_order_relaxed);
    live_.fetch_add(1, std::memory_order_relaxed);
    return at - 1;
  }
  SyncObject& operator[](Number number) { return objects_[number]; }

  /// Whether there may be an object in [begin, end). Needs no lock.
  bool may_have(uptr begin, uptr end) const {
    if (heads_ == nullptr || live_.load(std::memory_order_relaxed) == 0) return false;
    if (end - begin > kFew * kGranule) return true;
    for (uptr at = begin & ~(kGranule - 1); at < end; at += kGranule) {
      if (head_of(at).load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  /// Forgets the objects in [begin, end) for which `gone(number, object)` agrees.
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
  /// A number rests until so many others are free: sections on a lock that had it may still be remembered.
  static constexpr u32 kRested = 8192;

  std::atomic<u32>& head_of(uptr address) const { return heads_[((address / kGranule) * 0x9E3779B97F4A7C15ULL) >> 48]; }

  template <class Gone>
  void remove_from(std::atomic<u32>& head, uptr begin, uptr end, Gone& gone) {
    u32 before = 0;
    for (u32 at = head.load(std::memory_order_relaxed); at != 0;) {
      SyncObject& object = objects_[at - 1];
      const u32 next = object.next;
      if (object.address >= begin && object.address < end && gone(at - 1, object)) {
        if (before == 0) {
          head.store(next, std::memory_order_relaxed);
        } else {
          objects_[before - 1].next = next;
        }
        object = {};
        if (free_count_++ == 0) {
          oldest_free_ = at;
        } else {
          objects_[latest_free_ - 1].next = at;
        }
        latest_free_ = at;
        live_.fetch_sub(1, std::memory_order_relaxed);
      } else {
        before = at;
      }
      at = next;
    }
  }

  std::atomic<u32>* heads_ = nullptr;
  Vector<SyncObject> objects_;
  // Free numbers, in the order in which they became free, linked by `next`.
  u32 oldest_free_ = 0;
  u32 latest_free_ = 0;
  u32 free_count_ = 0;
  std::atomic<u64> live_{0};  ///< read without the lock too
};

}  // namespace omen::rt::online
