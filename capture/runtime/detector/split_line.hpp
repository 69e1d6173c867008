/// \file
/// The split form of a line: a write word and a read word for each aligned group of eight bytes. It is for lines whose
/// parts are used separately: small objects under locks of their own.
///
/// A *group word* is a line word (shadow_line.hpp) of one group, in eight bytes: an epoch, the group's bytes that were
/// accessed then, and its bounded bytes. It is read and written as one, bounded bytes included.
///
/// Of a line that is split (`ShadowLine::is_split`) the line words are hints alone, and the groups' words say what the
/// line words said before. A group's read word may be *shared* instead: then its reads are in the tables of the threads
/// that the line's read word names (thread_reads.hpp). Bytes of other groups in these tables do not count.
///
/// Each line of the program's memory has a fixed place for these words; pages are allocated when they are touched. So a
/// thread that was interrupted in the fast path never writes into the words of another line.
///
/// Concurrency: fast_path.hpp.
#pragma once

#include "capture/runtime/detector/shadow_map.hpp"

namespace omen::rt::detect {

class GroupWord {
 public:
  constexpr GroupWord() = default;
  static OMEN_INLINE constexpr GroupWord of_bits(u64 bits) { return GroupWord(bits); }
  /// The part of a line word that is about the group. Its epoch is plain.
  static OMEN_INLINE GroupWord of(const LineWord& word, u32 group) {
    const LineWord part = without_bytes(word, ByteSet(~(u64{0xff} << (8 * group))));
    return GroupWord(part.epoch.bits() | part.bytes.bits() >> (8 * group) << kBytesShift |
                     part.bounded.bits() >> (8 * group) << kBoundedShift);
  }
  static OMEN_INLINE constexpr GroupWord shared() { return GroupWord(kShared); }

  OMEN_INLINE constexpr u64 bits() const { return bits_; }
  OMEN_INLINE constexpr bool is_shared() const { return bits_ == kShared; }
  /// As a word of the line. Not of a shared one.
  OMEN_INLINE constexpr LineWord line_word(u32 group) const {
    return {Word::of_bits(bits_ & kEpoch), ByteSet((bits_ >> kBytesShift & 0xff) << (8 * group)),
            ByteSet((bits_ >> kBoundedShift & 0xff) << (8 * group))};
  }
  constexpr bool operator==(const GroupWord&) const = default;

 private:
  OMEN_INLINE constexpr explicit GroupWord(u64 bits) : bits_(bits) {}
  static constexpr u32 kBytesShift = Word::kSlotShift + kSlotBits;
  static constexpr u32 kBoundedShift = kBytesShift + 8;
  static constexpr u64 kEpoch = (u64{1} << kBytesShift) - 1;
  static constexpr u64 kShared = u64{1} << 63;
  static_assert(kBoundedShift + 8 <= 63);

  u64 bits_ = 0;
};

inline constexpr u32 kGroups = kLineSize / 8;

OMEN_INLINE constexpr ByteSet group_bytes(u32 group) {
  return ByteSet(u64{0xff} << (8 * group));
}
/// Calls `visit(group)` for each group that has some of the bytes.
template <class Visit>
OMEN_INLINE constexpr void for_each_group(ByteSet bytes, Visit visit) {
  for (u64 left = bytes.whole_granules().bits(); left != 0;) {
    const u32 group = static_cast<u32>(__builtin_ctzll(left)) / 8;
    visit(group);
    left &= ~group_bytes(group).bits();
  }
}

struct alignas(64) SplitLine {
  struct Group {
    std::atomic<u64> write;
    std::atomic<u64> read;
  };
  Group groups[kGroups];

  OMEN_INLINE GroupWord write(u32 group) const { return load(groups[group].write); }
  OMEN_INLINE GroupWord read(u32 group) const { return load(groups[group].read); }
  OMEN_INLINE void store_write(u32 group, GroupWord word) { store(groups[group].write, word); }
  OMEN_INLINE void store_read(u32 group, GroupWord word) { store(groups[group].read, word); }

 private:
  static OMEN_INLINE GroupWord load(const std::atomic<u64>& word) {
    return GroupWord::of_bits(word.load(std::memory_order_relaxed));
  }
  static OMEN_INLINE void store(std::atomic<u64>& word, GroupWord next) {
    word.store(next.bits(), std::memory_order_relaxed);
  }
};
static_assert(sizeof(SplitLine) == 2 * kLineSize);

class SplitLines {
 public:
  /// Those of a line that is split.
  OMEN_INLINE SplitLine& of(uptr address) const {
    auto* const words = reinterpret_cast<SplitLine*>(__atomic_load_n(&regions_[region_of(address)], __ATOMIC_ACQUIRE) +
                                                     kSize * (address & ~(kLineSize - 1)));
    if (words == nullptr) __builtin_unreachable();  // so that nobody tests it
    return *words;
  }
  /// Is there memory for this line's words?
  bool make(uptr address) {
    uptr& region = regions_[region_of(address)];
    if (OMEN_LIKELY(__atomic_load_n(&region, __ATOMIC_ACQUIRE) != 0)) return true;
    const SpinGuard guard(lock_);
    if (region != 0) return true;
    void* const words = map_memory(kSize * kRegion);
    if (words == nullptr) return false;
    const uptr begin = region_of(address) << kRegionShift;
    any_.store(true, std::memory_order_relaxed);
    __atomic_store_n(&region, reinterpret_cast<uptr>(words) - kSize * begin, __ATOMIC_RELEASE);
    return true;
  }

  /// Memory that nobody uses any more, of one region: whole pages of the words.
  void forget(uptr begin, uptr end) {
    if (regions_[region_of(begin)] == 0) return;
    constexpr uptr kPage = 4096 / kSize;
    begin = (begin + kPage - 1) & ~(kPage - 1);
    end &= ~(kPage - 1);
    if (begin < end) forget_memory(&of(begin), kSize * (end - begin));
  }
  void forget_all() {
    for_each_region([](void* words) { forget_memory(words, kSize * kRegion); });
    lock_.reset();
  }
  u64 bytes() const {
    u64 bytes = 0;
    for_each_region([&](void* words) { bytes += resident_bytes(words, kSize * kRegion); });
    return bytes;
  }

 private:
  static constexpr uptr kSize = sizeof(SplitLine) / kLineSize;  ///< bytes of words for each byte of memory
  static OMEN_INLINE std::size_t region_of(uptr address) { return (address >> kRegionShift) & (kRegions - 1); }

  template <class Visit>
  void for_each_region(Visit visit) const {
    if (!any_.load(std::memory_order_relaxed)) return;
    for (uptr i = 0; i < kRegions; ++i) {
      const uptr bias = __atomic_load_n(&regions_[i], __ATOMIC_RELAXED);
      if (bias != 0) visit(reinterpret_cast<void*>(bias + kSize * (i << kRegionShift)));
    }
  }

  uptr regions_[kRegions] = {};  ///< where the words of each region are, less the region's address
  std::atomic<bool> any_{false};
  SpinLock lock_;  ///< guards the making of regions
};

extern SplitLines split_lines;

}  // namespace omen::rt::detect
