/// \file
/// From an address to its line: a table of regions of 128 MiB, each with its lines in one reserved mapping that takes
/// memory where it is touched. Beside each region notes on its chunks: whether they have their pages, and whether their
/// lines refer to something outside, which has to be given back when their memory ends its life.
#pragma once

#include "capture/abi/layout.hpp"
#include "capture/runtime/detector/shadow_line.hpp"

namespace omen::rt::detect {

inline constexpr u32 kRegionShift = abi::kRegionShift;
inline constexpr uptr kRegion = uptr{1} << kRegionShift;
inline constexpr std::size_t kRegions = abi::kRegions;

/// The program's own code looks at it too (capture/pass/inlined_checks.cpp).
extern uptr line_regions[kRegions] asm("__omen_lines") __attribute__((visibility("default")));

class ShadowMap {
 public:
  bool create() {
    notes_ = static_cast<std::atomic<Notes*>*>(map_memory(kRegions * sizeof(uptr)));
    return notes_ != nullptr;
  }

  /// Null: nothing in this region was accessed yet.
  static OMEN_INLINE ShadowLine* find(uptr address) {
    const uptr bias = __atomic_load_n(&line_regions[region_of(address)], __ATOMIC_ACQUIRE);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    ShadowLine* const line = reinterpret_cast<ShadowLine*>(bias + (address & ~(kLineSize - 1)));
    if (line == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return line;
  }
  /// The line, made if need be; null if there is no memory.
  ShadowLine* at(uptr address) {
    ShadowLine* const line = find(address);
    return OMEN_LIKELY(line != nullptr) ? line : make(address);
  }
  /// Before a line that is empty is written to: its neighbours get their pages with it. Asked for one by one, and
  /// twice, since a line is read before it is written, they were a tenth of the time of programs with much memory.
  OMEN_INLINE void prepare(uptr address) {
    std::atomic<u8>& prepared = notes_of(address).prepared[(address & (kRegion - 1)) / kChunk];
    if (OMEN_LIKELY(prepared.load(std::memory_order_relaxed) != 0)) return;
    prepared.store(1, std::memory_order_relaxed);
    populate_memory(find(address & ~(kChunk - 1)), kChunk);
  }

  /// A line of this leaf has a detail, or its reads are in the readers' tables.
  void note_references(uptr address) {
    std::atomic<u8>& noted = references_of(address);
    if (noted.load(std::memory_order_relaxed) == 0) noted.store(1, std::memory_order_relaxed);
  }
  bool take_references(uptr address) {
    std::atomic<u8>& noted = references_of(address);
    return noted.load(std::memory_order_relaxed) != 0 && noted.exchange(0, std::memory_order_relaxed) != 0;
  }

  /// Contended: neighbouring data near the address is guarded by different locks. There a second thread that comes to
  /// a part of a line puts it into the detail at once: bounds would have to be resolved soon.
  bool is_contended(uptr address) const { return contended_of(address).load(std::memory_order_relaxed) != 0; }
  void set_contended(uptr address) { contended_of(address).store(1, std::memory_order_relaxed); }

  static constexpr uptr kLeaf = 64U << 10;
  static constexpr uptr kGivenBack = 1U << 20;  ///< shorter memory keeps the pages of its shadow

  /// Whole leaves of one region: all of their lines are empty, and the pages of many of them given back.
  void clear_leaves(uptr begin, uptr end) {
    const bool gives_back = end - begin >= kGivenBack;
    for (uptr chunk = begin; chunk < end; chunk += kChunk) {
      std::atomic<u8>& prepared = notes_of(chunk).prepared[(chunk & (kRegion - 1)) / kChunk];
      contended_of(chunk).store(0, std::memory_order_relaxed);
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
  static_assert(sizeof(ShadowLine) == kLineSize);
  static constexpr uptr kChunk = 16U << 10;  ///< that gets its pages at once
  static_assert(kLeaf % kChunk == 0);

  /// Of a region.
  struct Notes {
    std::atomic<u8> prepared[kRegion / kChunk];
    std::atomic<u8> contended[kRegion / kChunk];
    std::atomic<u8> references[kRegion / kLeaf];
  };
  Notes& notes_of(uptr address) const { return *notes_[region_of(address)].load(std::memory_order_acquire); }
  std::atomic<u8>& contended_of(uptr address) const {
    return notes_of(address).contended[(address & (kRegion - 1)) / kChunk];
  }
  std::atomic<u8>& references_of(uptr address) const {
    return notes_of(address).references[(address & (kRegion - 1)) / kLeaf];
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

  OMEN_NOINLINE ShadowLine* make(uptr address) {
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

}  // namespace omen::rt::detect
