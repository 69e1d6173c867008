/// \file
/// From an address to its cell, under any layout of the address space: a table of regions of 128 MiB, each with its
/// cells in one reserved mapping that takes memory where it is touched.
#pragma once

#include "capture/runtime/online/cell.hpp"

namespace omen::rt::online {

inline constexpr u32 kRegionShift = 27;
inline constexpr uptr kRegion = uptr{1} << kRegionShift;
inline constexpr std::size_t kRegions = std::size_t{1} << (48 - kRegionShift);
/// Where the cells of each region are. A variable of its own, so that no pointer to it has to be loaded first.
/// Plain words, read and written as atomics: an array of atomics would be too long for compilers to see that it is
/// zero.
extern uptr shadow_regions[kRegions];

class ShadowMap {
 public:
  bool create() {
    notes_ = static_cast<std::atomic<Notes*>*>(map_memory(kRegions * sizeof(uptr)));
    return notes_ != nullptr;
  }

  /// Null: nothing in this region was accessed yet.
  static OMEN_INLINE Cell* find(uptr address) {
    const uptr bias = __atomic_load_n(&shadow_regions[region_of(address)], __ATOMIC_RELAXED);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    Cell* const cell = reinterpret_cast<Cell*>(bias + ((address & ~(kCellBytes - 1)) << 1));
    if (cell == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return cell;
  }

  /// The cell, made if need be; null if there is no memory.
  Cell* at(uptr address) {
    Cell* const cell = find(address);
    return OMEN_LIKELY(cell != nullptr) ? cell : make(address);
  }

  /// How many cells of a leaf of 64 KiB name something outside of the shadow: those must be visited one by one.
  std::atomic<u32>& outside_names(uptr address) {
    return notes_of(address).outside_names[(address & (kRegion - 1)) / kLeaf];
  }

  /// Before a cell that is zero is written to: it gets its pages, and its neighbours theirs. Who accesses memory looks
  /// at its cell before he writes to it, so else the system would be asked for every page twice, and for one at a time.
  OMEN_INLINE void prepare(uptr address) {
    std::atomic<u8>& prepared = prepared_of(address);
    if (OMEN_LIKELY(prepared.load(std::memory_order_relaxed) != 0)) return;
    prepared.store(1, std::memory_order_relaxed);
    populate_memory(find(address & ~(kChunk - 1)), kChunk * 2);
  }
  /// The same of all in [begin, end), which is in one region.
  void prepare(uptr begin, uptr end) {
    for (uptr at = begin; at < end; at = (at & ~(kChunk - 1)) + kChunk) prepare(at);
  }

  static constexpr uptr kLeaf = 64U << 10;
  static constexpr uptr kChunk = 4U << 10;      ///< that gets its pages at once
  static constexpr uptr kGivenBack = 1U << 20;  ///< shorter memory keeps the pages of its cells

  /// Visits the cells of [begin, end) that may be other than zero; whole leaves without outside names are zeroed at
  /// once, and the pages of many of them given back.
  template <class Clear>
  void clear(uptr begin, uptr end, Clear clear_cell);

  u64 bytes() const {
    u64 bytes = 0;
    for (std::size_t i = 0; i < kRegions; ++i) {
      const uptr bias = __atomic_load_n(&shadow_regions[i], __ATOMIC_RELAXED);
      if (bias != 0) bytes += resident_bytes(cells_of(i, bias), kRegion * 2);
    }
    return bytes;
  }

  /// Everything is zero again.
  void forget_all() {
    for (std::size_t i = 0; i < kRegions; ++i) {
      const uptr bias = __atomic_load_n(&shadow_regions[i], __ATOMIC_RELAXED);
      if (bias == 0) continue;
      forget_memory(cells_of(i, bias), kRegion * 2);
      forget_memory(notes_[i].load(std::memory_order_relaxed), sizeof(Notes));
    }
    lock_.reset();
  }

 private:
  /// Of a region.
  struct Notes {
    std::atomic<u32> outside_names[kRegion / kLeaf];
    std::atomic<u8> prepared[kRegion / kChunk];
  };
  Notes& notes_of(uptr address) const { return *notes_[region_of(address)].load(std::memory_order_acquire); }
  std::atomic<u8>& prepared_of(uptr address) const {
    return notes_of(address).prepared[(address & (kRegion - 1)) / kChunk];
  }

  static void* cells_of(std::size_t region, uptr bias) {
    return reinterpret_cast<void*>(bias + (uptr{region} << (kRegionShift + 1)));
  }

  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }

  OMEN_NOINLINE Cell* make(uptr address) {
    const SpinGuard guard(lock_);
    const std::size_t region = region_of(address);
    if (__atomic_load_n(&shadow_regions[region], __ATOMIC_RELAXED) == 0) {
      void* const notes = map_memory(sizeof(Notes));
      void* const cells = map_memory(kRegion * 2);
      if (notes == nullptr || cells == nullptr) return nullptr;
      notes_[region].store(static_cast<Notes*>(notes), std::memory_order_release);
      // An address in the region, shifted, plus this, is its cell.
      __atomic_store_n(&shadow_regions[region], reinterpret_cast<uptr>(cells) - (uptr{region} << (kRegionShift + 1)),
                       __ATOMIC_RELEASE);
    }
    return find(address);
  }

  std::atomic<Notes*>* notes_ = nullptr;
  SpinLock lock_;  ///< guards the making of regions
};

template <class Clear>
void ShadowMap::clear(uptr begin, uptr end, Clear clear_cell) {
  const auto one_by_one = [&](uptr from, uptr to) {
    Cell* cell = find(from);  // of one leaf, so of one region
    if (cell == nullptr) return;
    for (uptr at = from & ~(kCellBytes - 1); at < to; at += kCellBytes, ++cell) {
      if ((cell->write.load(std::memory_order_relaxed) | cell->read.load(std::memory_order_relaxed)) == 0) continue;
      clear_cell(*cell, bytes_within(at, begin, end), at);
    }
  };
  uptr forget_from = 0;
  const auto forget_until = [&](uptr to) {
    if (forget_from == 0) return;
    const bool gives_back = to - forget_from >= kGivenBack;
    if (gives_back) forget_memory(find(forget_from), (to - forget_from) * 2);
    for (uptr chunk = forget_from; chunk < to; chunk += kChunk) {
      std::atomic<u8>& prepared = prepared_of(chunk);
      if (gives_back) {
        prepared.store(0, std::memory_order_relaxed);
      } else if (prepared.load(std::memory_order_relaxed) != 0) {
        clear_bytes(find(chunk), kChunk * 2);
      } else {
        forget_memory(find(chunk), kChunk * 2);  // few pages, if any
      }
    }
    forget_from = 0;
  };
  for (uptr at = begin; at < end;) {
    const uptr next = (at & ~(kLeaf - 1)) + kLeaf;
    const uptr to = next < end ? next : end;
    if (find(at) == nullptr) {
      forget_until(at);
    } else if (to - at == kLeaf && outside_names(at).load(std::memory_order_relaxed) == 0) {
      if (forget_from == 0) forget_from = at;
      if (region_of(next) != region_of(at)) forget_until(next);
    } else {
      forget_until(at);
      one_by_one(at, to);
    }
    at = to;
  }
  forget_until(end & ~(kLeaf - 1));
}

}  // namespace omen::rt::online
