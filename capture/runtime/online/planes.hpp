/// \file
/// Planes of words beside the shadow, one plane for each thread, addressed as directly: `kSize` bytes of words for each
/// `kUnit` bytes of memory, a cell or a line. They take memory where they are touched.
#pragma once

#include "capture/runtime/online/shadow_map.hpp"

namespace omen::rt::online {

template <uptr kUnit, uptr kSize, class Each>
class Planes {
 public:
  using Word = Each;
  static constexpr u32 kMost = 61;  ///< threads; the read word of a cell has a bit for each

  /// The first word. Null: the thread has no words in this region.
  OMEN_INLINE Word* find(u32 slot, uptr address) const {
    if (OMEN_UNLIKELY(slot >= kMost)) return nullptr;
    return find(__atomic_load_n(&planes_[slot], __ATOMIC_ACQUIRE), address);
  }
  /// The same in a plane.
  static OMEN_INLINE Word* find(const uptr* regions, uptr address) {
    if (OMEN_UNLIKELY(regions == nullptr)) return nullptr;
    const uptr bias = __atomic_load_n(&regions[region_of(address)], __ATOMIC_RELAXED);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    Word* const word = reinterpret_cast<Word*>(bias + in_plane(address & ~(kUnit - 1)));
    if (word == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return word;
  }
  /// The word, made if need be. Null: there is no memory, or no plane for the thread.
  Word* at(u32 slot, uptr address) {
    Word* const word = find(slot, address);
    return OMEN_LIKELY(word != nullptr) || slot >= kMost ? word : make(slot, address);
  }
  uptr* plane(u32 slot) const { return slot < kMost ? __atomic_load_n(&planes_[slot], __ATOMIC_ACQUIRE) : nullptr; }

  /// Memory that nobody uses any more: whole pages of all planes.
  void forget(uptr begin, uptr end) {
    constexpr uptr kPage = 4096 * (kUnit > kSize ? kUnit / kSize : 1);
    begin = (begin + kPage - 1) & ~(kPage - 1);
    end &= ~(kPage - 1);
    for (uptr at = begin; at < end;) {
      const uptr next = (at & ~(kRegion - 1)) + kRegion;
      const uptr to = next < end ? next : end;
      for (u32 slot = 0; slot < kMost; ++slot) {
        if (Word* const word = find(slot, at)) forget_memory(word, in_plane(to - at));
      }
      at = to;
    }
  }
  u64 bytes() const {
    u64 bytes = 0;
    for_each_region([&](void* words) { bytes += resident_bytes(words, in_plane(kRegion)); });
    return bytes;
  }
  /// Everything is zero again.
  void forget_all() {
    for_each_region([](void* words) { forget_memory(words, in_plane(kRegion)); });
    lock_.reset();
  }

 private:
  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }
  static OMEN_INLINE constexpr uptr in_plane(uptr bytes) {
    return kUnit > kSize ? bytes / (kUnit / kSize) : bytes * (kSize / kUnit);
  }
  static constexpr uptr begin_of(std::size_t region) { return in_plane(uptr{region} << kRegionShift); }

  template <class Visit>
  void for_each_region(Visit visit) const {
    for (uptr* const& place : planes_) {
      const uptr* const plane = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
      if (plane == nullptr) continue;
      for (std::size_t i = 0; i < kRegions; ++i) {
        const uptr bias = __atomic_load_n(&plane[i], __ATOMIC_RELAXED);
        if (bias != 0) visit(reinterpret_cast<void*>(bias + begin_of(i)));
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
      void* const words = map_memory(in_plane(kRegion));
      if (words == nullptr) return nullptr;
      __atomic_store_n(&planes_[slot][region], reinterpret_cast<uptr>(words) - begin_of(region), __ATOMIC_RELEASE);
    }
    return find(slot, address);
  }

  uptr* planes_[kMost] = {};  ///< for each slot, where the words of each region are
  SpinLock lock_;             ///< guards the making
};

/// So many words for each cell.
template <uptr kWords>
using CellPlanes = Planes<kCellBytes, kWords * sizeof(u64), std::atomic<u64>>;

}  // namespace omen::rt::online
