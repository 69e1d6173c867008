/// \file
/// What a thread did lately: a ring of records. The stack of the earlier access of a race is found here, and the epochs
/// of accesses for which a cell has a bound only. What has been overwritten is no longer known.
///
/// Only the thread itself writes, and says afterwards how far it is. Others read while it does, and look again whether
/// the record has been overwritten meanwhile.
#pragma once

#include "capture/runtime/platform.hpp"
#include "capture/runtime/stack_table.hpp"

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
  AcquireShared,
  Release,
  ReplacedWrite,  ///< a word of another thread gave way to the thread's own: which cell, which bytes, which epoch
  ReplacedRead,
  ReplacedLineWrite,  ///< the same of a line
  ReplacedLineRead,
};

class AccessLog {
 public:
  static constexpr u64 kAddresses = (u64{1} << 48) - 1;
  struct Entry {
    u64 place;  ///< address (48 bits), what (4), bytes (12; a longer range has several entries)
    u64 rest;   ///< the node of the function (32), local time (32)
    uptr pc;

    uptr address() const { return place & kAddresses; }
    Did what() const { return static_cast<Did>((place >> 48) & 15); }
    u32 bytes() const { return static_cast<u32>(place >> 52); }
    Place where() const { return {pc, static_cast<u32>(rest)}; }
    u32 time() const { return static_cast<u32>(rest >> 32); }
    bool is_replaced() const { return what() >= Did::ReplacedWrite; }
    bool covers(uptr byte) const { return byte - address() < bytes(); }

    // Of a word that was replaced, `rest` is the word. Its bytes are a set of bytes of the cell, or of the line.
    u64 replaced_bytes() const { return place >> 52; }
    u64 replaced_line_bytes() const { return pc; }
  };
  static constexpr u64 kLongest = 4095;

  bool create(u32 entries) {
    void* const memory = map_memory(entries * sizeof(Words));
    mask_ = entries - 1;
    entries_.store(static_cast<Words*>(memory), std::memory_order_release);
    return memory != nullptr;
  }
  u64 bytes() const {
    const Words* const entries = entries_.load(std::memory_order_relaxed);
    return entries == nullptr ? 0 : resident_bytes(entries, (mask_ + 1) * sizeof(Words));
  }
  bool exists() const { return entries_.load(std::memory_order_relaxed) != nullptr; }

  OMEN_INLINE void add(uptr address, u64 bytes, Did what, Place where, u32 time) {
    add_words(address, bytes, what, u64{where.frame} | (u64{time} << 32), where.pc);
  }
  /// `word`: an epoch as a cell has it, perhaps a bound.
  void add_replaced(uptr base, u64 bytes, bool write, u64 word) {
    add_words(base, bytes, write ? Did::ReplacedWrite : Did::ReplacedRead, word, 0);
  }

  void add_replaced_line(uptr base, u64 bytes, bool write, u64 word) {
    add_words(base, 0, write ? Did::ReplacedLineWrite : Did::ReplacedLineRead, word, bytes);
  }

  /// Visits the entries, latest first, until `visit(entry, position)` returns true; was there such a one?
  template <class Visit>
  bool any_before(u64 end, Visit visit) const {
    return any_before(end, 0, [](uptr) { return true; }, visit);
  }
  /// The same of those entries from `from` on only for whose address `may` is true. It is asked of entries that have
  /// just been overwritten, too.
  template <class May, class Visit>
  bool any_before(u64 end, u64 from, May may, Visit visit) const {
    const Words* const entries = entries_.load(std::memory_order_acquire);
    if (entries == nullptr) return false;
    const u64 oldest = end > mask_ ? end - mask_ : 0;
    const u64 first = oldest > from ? oldest : from;
    for (u64 i = end; i-- > first;) {
      const Words& words = entries[i & mask_];
      const u64 place = words.place.load(std::memory_order_relaxed);
      if (OMEN_LIKELY(!may(place & kAddresses))) continue;
      const Entry entry{place, words.rest.load(std::memory_order_relaxed), words.pc.load(std::memory_order_relaxed)};
      std::atomic_thread_fence(std::memory_order_acquire);
      if (next_.load(std::memory_order_relaxed) > i + mask_) return false;  // overwritten, as all before it
      if (visit(entry, i)) return true;
    }
    return false;
  }
  u64 end() const { return next_.load(std::memory_order_acquire); }
  /// Have all entries from this one on been there while they were looked at?
  bool has_all_from(u64 from) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return exists() && next_.load(std::memory_order_relaxed) <= from + mask_;
  }

 private:
  struct Words {
    std::atomic<u64> place;
    std::atomic<u64> rest;
    std::atomic<u64> pc;
  };

  OMEN_INLINE void add_words(uptr address, u64 bytes, Did what, u64 rest, uptr pc) {
    const u64 next = next_.load(std::memory_order_relaxed);
    Words& words = entries_.load(std::memory_order_relaxed)[next & mask_];
    words.place.store((address & kAddresses) | (u64{static_cast<u8>(what)} << 48) | (bytes << 52),
                      std::memory_order_relaxed);
    words.rest.store(rest, std::memory_order_relaxed);
    words.pc.store(pc, std::memory_order_relaxed);
    next_.store(next + 1, std::memory_order_release);
  }

  std::atomic<Words*> entries_{nullptr};
  u64 mask_ = 0;  ///< set before the entries are there
  std::atomic<u64> next_{0};
};

}  // namespace omen::rt::online
