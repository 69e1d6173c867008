/// \file
/// The reads of memory that several threads read: for each thread a plane of words, one for each cell, beside the
/// shadow and addressed as directly.
///
/// A thread's plane is written by the thread itself, so readers of shared data do not meet, and what it has read lies
/// side by side. A cell's read word says that its reads are here, and of which threads. A word of a plane is like the
/// word of a cell, of its thread: the bytes that it read last, and older ones, with a bound. What does not fit is in a
/// vector of reads (read_vectors.hpp), as are the reads of threads beyond the first `kMost`.
///
/// Discipline: a word counts if the cell names its plane. Who holds the cell's lock may change all of the cell's words,
/// and what it names. Who does not changes its own word only, has the cell name it then, and looks at the cell again
/// afterwards. There is no fence between: in the same moment a read may be lost, and be left in a plane that the cell
/// no longer names. None is made up.
#pragma once

#include "capture/runtime/online/shadow_map.hpp"

namespace omen::rt::online {

class ReadPlanes {
 public:
  using Word = std::atomic<u64>;
  static constexpr u32 kMost = 61;  ///< a read word has a bit for each

  /// Null: the thread has read nothing shared in this region.
  OMEN_INLINE Word* find(u32 slot, uptr address) const {
    if (OMEN_UNLIKELY(slot >= kMost)) return nullptr;
    return find(__atomic_load_n(&planes_[slot], __ATOMIC_ACQUIRE), address);
  }
  /// The same in a plane.
  static OMEN_INLINE Word* find(const uptr* regions, uptr address) {
    if (OMEN_UNLIKELY(regions == nullptr)) return nullptr;
    const uptr bias = __atomic_load_n(&regions[region_of(address)], __ATOMIC_RELAXED);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    Word* const word = reinterpret_cast<Word*>(bias + (address & ~(kCellBytes - 1)));
    if (word == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return word;
  }
  /// The word, made if need be. Null: there is no memory, or no plane for the thread.
  Word* at(u32 slot, uptr address) {
    Word* const word = find(slot, address);
    return OMEN_LIKELY(word != nullptr) || slot >= kMost ? word : make(slot, address);
  }
  uptr* plane(u32 slot) const { return slot < kMost ? __atomic_load_n(&planes_[slot], __ATOMIC_ACQUIRE) : nullptr; }
  /// Has the plane's thread read these bytes at this time?
  static OMEN_INLINE bool has(const Word& word, u64 now, u64 wanted) {
    return ((word.load(std::memory_order_relaxed) ^ now) & (kTimes | wanted)) == 0;
  }
  /// All bytes of two cells?
  static OMEN_INLINE bool have(const Word& first, const Word& second, u64 now) {
    return (((first.load(std::memory_order_relaxed) ^ now) | (second.load(std::memory_order_relaxed) ^ now)) &
            (kTimes | kBytes)) == 0;
  }
  static OMEN_INLINE bool has(const uptr* plane, uptr address, u64 now, u64 wanted) {
    const Word* const word = find(plane, address);
    return word != nullptr && has(*word, now, wanted);
  }

  /// Memory that nobody uses any more: whole pages of all planes.
  void forget(uptr begin, uptr end) {
    constexpr uptr kPage = 4096;
    begin = (begin + kPage - 1) & ~(kPage - 1);
    end &= ~(kPage - 1);
    for (uptr at = begin; at < end;) {
      const uptr next = (at & ~(kRegion - 1)) + kRegion;
      const uptr to = next < end ? next : end;
      for (u32 slot = 0; slot < kMost; ++slot) {
        if (Word* const word = find(slot, at)) forget_memory(word, to - at);
      }
      at = to;
    }
  }
  u64 bytes() const {
    u64 bytes = 0;
    for_each_region([&](void* words) { bytes += resident_bytes(words, kRegion); });
    return bytes;
  }
  /// Everything is zero again.
  void forget_all() {
    for_each_region([](void* words) { forget_memory(words, kRegion); });
    lock_.reset();
  }

 private:
  static constexpr u64 kTimes = u64{~u32{0}} << kTimeShift;

  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }

  template <class Visit>
  void for_each_region(Visit visit) const {
    for (uptr* const& place : planes_) {
      const uptr* const plane = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
      if (plane == nullptr) continue;
      for (std::size_t i = 0; i < kRegions; ++i) {
        const uptr bias = __atomic_load_n(&plane[i], __ATOMIC_RELAXED);
        if (bias != 0) visit(reinterpret_cast<void*>(bias + (uptr{i} << kRegionShift)));
      }
    }
  }

  OMEN_NOINLINE Word* make(u32 slot, uptr address) {
    const SpinGuard guard(lock_);
    if (planes_[slot] == nullptr) {
      void* const regions = map_memory(kRegions * sizeof(uptr));
      if (regions == nullptr) return nullptr;
      __atomic_store_n(&planes_[slot], static_cast<uptr*>(regions), __ATOMIC_RELEASE);
    }
    const std::size_t region = region_of(address);
    if (planes_[slot][region] == 0) {
      void* const words = map_memory(kRegion);
      if (words == nullptr) return nullptr;
      __atomic_store_n(&planes_[slot][region], reinterpret_cast<uptr>(words) - (uptr{region} << kRegionShift),
                       __ATOMIC_RELEASE);
    }
    return find(slot, address);
  }

  uptr* planes_[kMost] = {};  ///< for each slot, where the words of each region are
  SpinLock lock_;             ///< guards the making
};

extern ReadPlanes read_planes;

}  // namespace omen::rt::online
