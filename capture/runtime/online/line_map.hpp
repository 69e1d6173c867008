/// \file
/// From an address to its line, as shadow_map.hpp finds cells: a table of regions, each with its lines in one reserved
/// mapping that takes memory where it is touched.
#pragma once

#include "capture/runtime/online/line.hpp"
#include "capture/runtime/online/shadow_map.hpp"

namespace omen::rt::online {

/// The program's own code looks at it too (capture/pass/inlined_checks.cpp).
extern uptr line_regions[kRegions] asm("__omen_lines") __attribute__((visibility("default")));
static_assert(kRegionShift == 27 && kRegions == std::size_t{1} << 21);

class LineMap {
 public:
  bool create() {
    notes_ = static_cast<std::atomic<Notes*>*>(map_memory(kRegions * sizeof(uptr)));
    return notes_ != nullptr;
  }

  /// Null: nothing in this region was accessed yet.
  static OMEN_INLINE Line* find(uptr address) {
    const uptr bias = __atomic_load_n(&line_regions[region_of(address)], __ATOMIC_RELAXED);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    Line* const line = reinterpret_cast<Line*>(bias + (address & ~(kLineSize - 1)));
    if (line == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return line;
  }
  /// The line, made if need be; null if there is no memory.
  Line* at(uptr address) {
    Line* const line = find(address);
    return OMEN_LIKELY(line != nullptr) ? line : make(address);
  }
  /// Before a line that is empty is written to: see ShadowMap::prepare.
  OMEN_INLINE void prepare(uptr address) {
    std::atomic<u8>& prepared = notes_of(address).prepared[(address & (kRegion - 1)) / kChunk];
    if (OMEN_LIKELY(prepared.load(std::memory_order_relaxed) != 0)) return;
    prepared.store(1, std::memory_order_relaxed);
    populate_memory(find(address & ~(kChunk - 1)), kChunk);
  }

  /// What lines of a leaf of 64 KiB name, which has to be cleared with them.
  static constexpr u8 kNamesCells = 1;
  static constexpr u8 kNamesPlanes = 2;
  void note_names(uptr address, u8 names) {
    std::atomic<u8>& noted = names_of(address);
    if ((noted.load(std::memory_order_relaxed) & names) == 0) noted.fetch_or(names, std::memory_order_relaxed);
  }
  u8 take_names(uptr address) {
    std::atomic<u8>& noted = names_of(address);
    return noted.load(std::memory_order_relaxed) == 0 ? 0 : noted.exchange(0, std::memory_order_relaxed);
  }

  /// Has a line near the address been opened since what stands side by side there is used apart? Then a line is opened
  /// as soon as a second thread comes to a part of it. Else it would leave bounds, which have to be resolved soon.
  bool is_mixed(uptr address) const { return mixed_of(address).load(std::memory_order_relaxed) != 0; }
  void set_mixed(uptr address) { mixed_of(address).store(1, std::memory_order_relaxed); }

  /// Whole leaves of one region: all of their lines are empty, and the pages of many of them given back.
  void clear_leaves(uptr begin, uptr end) {
    const bool gives_back = end - begin >= ShadowMap::kGivenBack;
    for (uptr chunk = begin; chunk < end; chunk += kChunk) {
      std::atomic<u8>& prepared = notes_of(chunk).prepared[(chunk & (kRegion - 1)) / kChunk];
      mixed_of(chunk).store(0, std::memory_order_relaxed);
      if (prepared.load(std::memory_order_relaxed) == 0) continue;
      if (gives_back) {
        prepared.store(0, std::memory_order_relaxed);
      } else {
        clear_bytes(find(chunk), kChunk);
      }
    }
    if (gives_back) forget_memory(find(begin), end - begin);
  }

  u64 bytes() const {
    u64 bytes = 0;
    for_each_region([&](void* lines) { bytes += resident_bytes(lines, kRegion); });
    return bytes;
  }
  /// Everything is empty again.
  void forget_all() {
    for_each_region([](void* lines) { forget_memory(lines, kRegion); });
    for (std::size_t i = 0; i < kRegions; ++i) {
      if (Notes* const notes = notes_[i].load(std::memory_order_relaxed)) forget_memory(notes, sizeof(Notes));
    }
    lock_.reset();
  }

 private:
  static_assert(sizeof(Line) == kLineSize);
  static constexpr uptr kChunk = 16U << 10;  ///< that gets its pages at once
  static_assert(ShadowMap::kLeaf % kChunk == 0);

  /// Of a region.
  struct Notes {
    std::atomic<u8> prepared[kRegion / kChunk];
    std::atomic<u8> mixed[kRegion / kChunk];
    std::atomic<u8> names[kRegion / ShadowMap::kLeaf];
  };
  Notes& notes_of(uptr address) const { return *notes_[region_of(address)].load(std::memory_order_acquire); }
  std::atomic<u8>& mixed_of(uptr address) const { return notes_of(address).mixed[(address & (kRegion - 1)) / kChunk]; }
  std::atomic<u8>& names_of(uptr address) const {
    return notes_of(address).names[(address & (kRegion - 1)) / ShadowMap::kLeaf];
  }
  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }
  static constexpr uptr begin_of(std::size_t region) { return uptr{region} << kRegionShift; }

  template <class Visit>
  void for_each_region(Visit visit) const {
    for (std::size_t i = 0; i < kRegions; ++i) {
      const uptr bias = __atomic_load_n(&line_regions[i], __ATOMIC_RELAXED);
      if (bias != 0) visit(reinterpret_cast<void*>(bias + begin_of(i)));
    }
  }

  OMEN_NOINLINE Line* make(uptr address) {
    const SpinGuard guard(lock_);
    const std::size_t region = region_of(address);
    if (__atomic_load_n(&line_regions[region], __ATOMIC_RELAXED) == 0) {
      void* const notes = map_memory(sizeof(Notes));
      void* const lines = map_memory(kRegion);
      if (notes == nullptr || lines == nullptr) return nullptr;
      notes_[region].store(static_cast<Notes*>(notes), std::memory_order_release);
      __atomic_store_n(&line_regions[region], reinterpret_cast<uptr>(lines) - begin_of(region), __ATOMIC_RELEASE);
    }
    return find(address);
  }

  std::atomic<Notes*>* notes_ = nullptr;
  SpinLock lock_;  ///< guards the making of regions
};

}  // namespace omen::rt::online
