/// \file
/// The reads of lines that several threads have read since they were written. Each thread has a table of its own,
/// addressed as the shadow is: half a line, a `LineWord`, for each line. Its pages are allocated when they are touched.
/// A reader writes only its own table, so readers do not contend.
///
/// A word counts if the line's read word names its thread (`ReaderSet`). Concurrency: fast_path.hpp.
#pragma once

#include "capture/runtime/detector/shadow_map.hpp"

namespace omen::rt::detect {

class ReadWord {
 public:
  EpochAndBytes word;

  OMEN_INLINE LineWord load() const { return ShadowLine::load(word, bounded_); }
  OMEN_INLINE void store(const LineWord& next) { ShadowLine::store(word, bounded_, next); }

 private:
  std::atomic<u64> bounded_;
};
static_assert(sizeof(ReadWord) == 32);

class ThreadReads {
 public:
  /// The first word. Null: the thread has no words in this region.
  OMEN_INLINE ReadWord* find(Slot slot, uptr address) const {
    return find(__atomic_load_n(&tables_[slot], __ATOMIC_ACQUIRE), address);
  }
  /// The same in a table.
  static OMEN_INLINE ReadWord* find(const uptr* regions, uptr address) {
    if (OMEN_UNLIKELY(regions == nullptr)) return nullptr;
    const uptr bias = __atomic_load_n(&regions[region_of(address)], __ATOMIC_ACQUIRE);
    if (OMEN_UNLIKELY(bias == 0)) return nullptr;
    ReadWord* const word = reinterpret_cast<ReadWord*>(bias + in_table(address & ~(kLineSize - 1)));
    if (word == nullptr) __builtin_unreachable();  // so that nobody tests it again
    return word;
  }
  /// The word, made if need be. Null: there is no memory.
  ReadWord* at(Slot slot, uptr address) {
    ReadWord* const word = find(slot, address);
    return OMEN_LIKELY(word != nullptr) ? word : make(slot, address);
  }
  uptr* table(Slot slot) const { return __atomic_load_n(&tables_[slot], __ATOMIC_ACQUIRE); }

  /// Memory that nobody uses any more: whole pages of all tables.
  void forget(uptr begin, uptr end, Slot slots) {
    constexpr uptr kPage = 4096 * (kLineSize / sizeof(ReadWord));
    begin = (begin + kPage - 1) & ~(kPage - 1);
    end &= ~(kPage - 1);
    for (uptr at = begin; at < end;) {
      const uptr next = (at & ~(kRegion - 1)) + kRegion;
      const uptr to = next < end ? next : end;
      for (Slot slot = 0; slot < slots; ++slot) {
        if (ReadWord* const word = find(slot, at)) forget_memory(word, in_table(to - at));
      }
      at = to;
    }
  }
  u64 bytes() const {
    u64 bytes = 0;
    for_each_region([&](void* words) { bytes += resident_bytes(words, in_table(kRegion)); });
    return bytes;
  }
  /// Everything is zero again.
  void forget_all() {
    for_each_region([](void* words) { forget_memory(words, in_table(kRegion)); });
    lock_.reset();
  }

 private:
  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }
  static OMEN_INLINE constexpr uptr in_table(uptr bytes) { return bytes / (kLineSize / sizeof(ReadWord)); }
  static constexpr uptr begin_of(std::size_t region) { return in_table(uptr{region} << kRegionShift); }

  template <class Visit>
  void for_each_region(Visit visit) const {
    for (uptr* const& place : tables_) {
      const uptr* const table = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
      if (table == nullptr) continue;
      for (std::size_t i = 0; i < kRegions; ++i) {
        const uptr bias = __atomic_load_n(&table[i], __ATOMIC_RELAXED);
        if (bias != 0) visit(reinterpret_cast<void*>(bias + begin_of(i)));
      }
    }
  }

  OMEN_NOINLINE ReadWord* make(Slot slot, uptr address) {
    const SpinGuard guard(lock_);
    if (tables_[slot] == nullptr) {
      void* const regions = map_memory(kRegions * sizeof(uptr));
      if (regions == nullptr) return nullptr;
      __atomic_store_n(&tables_[slot], static_cast<uptr*>(regions), __ATOMIC_RELEASE);
    }
    const std::size_t region = region_of(address);
    if (tables_[slot][region] == 0) {
      void* const words = map_memory(in_table(kRegion));
      if (words == nullptr) return nullptr;
      __atomic_store_n(&tables_[slot][region], reinterpret_cast<uptr>(words) - begin_of(region), __ATOMIC_RELEASE);
    }
    return find(slot, address);
  }

  uptr* tables_[kMostSlots] = {};  ///< for each slot, where the words of each region are
  SpinLock lock_;                  ///< guards the making
};

extern ThreadReads thread_reads;

}  // namespace omen::rt::detect
