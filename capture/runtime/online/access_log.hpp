/// \file
/// What a thread did lately, so that a race can be reported with the stack of the earlier access: a ring of records, in
/// which the latest that fits an epoch and an address is looked for. What has been overwritten is no longer known.
///
/// Only the thread itself writes. Others read while it does, and check that what they read fits what they look for.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

enum class Did : u8 {
  Nothing = 0,
  Read,
  Write,
  VptrWrite,
  Free,
  AtomicRead,
  AtomicWrite,
  Allocate,
  Acquire,
  Release,
};

class AccessLog {
 public:
  struct Entry {
    std::atomic<u64> place;  ///< address (48 bits), what (4), bytes (12; a longer range has several entries)
    std::atomic<u64> rest;   ///< node (32), local time (32)

    uptr address() const { return place.load(std::memory_order_relaxed) & 0xffff'ffff'ffffULL; }
    Did what() const { return static_cast<Did>((place.load(std::memory_order_relaxed) >> 48) & 15); }
    u32 bytes() const { return static_cast<u32>(place.load(std::memory_order_relaxed) >> 52); }
    u32 node() const { return static_cast<u32>(rest.load(std::memory_order_relaxed)); }
    u32 time() const { return static_cast<u32>(rest.load(std::memory_order_relaxed) >> 32); }
  };
  static constexpr u64 kLongest = 4095;

  bool create(u32 entries) {
    entries_ = static_cast<Entry*>(map_memory(entries * sizeof(Entry)));
    mask_ = entries - 1;
    return entries_ != nullptr;
  }
  bool exists() const { return entries_ != nullptr; }

  OMEN_INLINE void add(uptr address, u64 bytes, Did what, u32 node, u32 time) {
    Entry& entry = entries_[next_++ & mask_];
    entry.place.store((address & 0xffff'ffff'ffffULL) | (u64{static_cast<u8>(what)} << 48) | (bytes << 52),
                      std::memory_order_relaxed);
    entry.rest.store(u64{node} | (u64{time} << 32), std::memory_order_relaxed);
  }

  /// Visits the entries, latest first, until `visit(entry)` returns true; was there such a one?
  template <class Visit>
  bool any_before(u64 end, Visit visit) const {
    if (entries_ == nullptr) return false;
    const u64 first = end > mask_ ? end - mask_ : 0;
    for (u64 i = end; i-- > first;) {
      if (visit(entries_[i & mask_], i)) return true;
    }
    return false;
  }
  u64 end() const { return __atomic_load_n(&next_, __ATOMIC_RELAXED); }

 private:
  Entry* entries_ = nullptr;
  u64 mask_ = 0;
  u64 next_ = 0;
};

}  // namespace omen::rt::online
