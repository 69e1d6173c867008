/// \file
/// The start addresses of the program's heap blocks: one bit for every 8 bytes of address space, in tables that exist
/// only where the heap is. It stores no sizes; the allocator knows them.
#pragma once

#include <bit>

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

class LiveBlocks {
 public:
  /// A block is ignored if its part of the address space has no table and none can be allocated.
  void add(uptr block) {
    if (std::atomic<u64>* const word = word_of(block, true)) word->fetch_or(bit_of(block), std::memory_order_relaxed);
  }
  void remove(uptr block) {
    if (std::atomic<u64>* const word = word_of(block, false))
      word->fetch_and(~bit_of(block), std::memory_order_relaxed);
  }
  bool has(uptr block) {
    const std::atomic<u64>* const word = word_of(block, false);
    return block % kUnit == 0 && word != nullptr && (word->load(std::memory_order_relaxed) & bit_of(block)) != 0;
  }

  /// The nearest block that begins at or below the address; 0 if there is none.
  uptr at_or_below(uptr address) {
    if (address >= kEnd) return 0;
    u64 mask = bit_of(address) | (bit_of(address) - 1);
    for (uptr at = address / kWordBytes * kWordBytes;; at -= kWordBytes) {
      if (const std::atomic<u64>* const word = word_of(at, false)) {
        const u64 bits = word->load(std::memory_order_relaxed) & mask;
        if (bits != 0) return at + kUnit * static_cast<uptr>(std::bit_width(bits) - 1);
      } else {
        at = at / kTableBytes * kTableBytes;  // this table has none
      }
      if (at == 0) return 0;
      mask = ~u64{0};
    }
  }

 private:
  static constexpr uptr kUnit = 8;  ///< the smallest alignment of any allocator
  static constexpr uptr kWordBytes = 64 * kUnit;
  static constexpr uptr kTableBytes = uptr{1} << 30;
  static constexpr uptr kEnd = uptr{1} << 47;
  static constexpr uptr kTableSize = kTableBytes / kUnit / 8;

  static u64 bit_of(uptr address) { return u64{1} << (address / kUnit % 64); }

  std::atomic<u64>* word_of(uptr address, bool make) {
    if (address >= kEnd) return nullptr;
    std::atomic<std::atomic<u64>*>& place = tables_[address / kTableBytes];
    std::atomic<u64>* table = place.load(std::memory_order_acquire);
    if (OMEN_UNLIKELY(table == nullptr)) {
      if (!make) return nullptr;
      auto* const made = static_cast<std::atomic<u64>*>(map_memory(kTableSize));
      if (made == nullptr) return nullptr;
      if (place.compare_exchange_strong(table, made, std::memory_order_acq_rel)) {
        table = made;
      } else {
        unmap_memory(made, kTableSize);
      }
    }
    return table + address % kTableBytes / kWordBytes;
  }

  std::atomic<std::atomic<u64>*> tables_[kEnd / kTableBytes];
};

}  // namespace omen::rt
