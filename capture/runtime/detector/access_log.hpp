/// \file
/// A thread's latest accesses, lock steps and blocks: a ring of records. Reports find the stack of the earlier access
/// here; the slow path finds the epochs for which a shadow word has an upper bound only.
///
/// Protocol: only the thread writes; it publishes the end of the ring after the record. A reader copies a record and
/// then checks that the end has not moved past it; a record that was overwritten meanwhile is not visited.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/detector/word.hpp"
#include "capture/runtime/stacks/stack_table.hpp"

namespace omen::rt::detect {

enum class LogKind : u8 {
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
  ReplacedWrite,  ///< a word of another thread gave way to the thread's own: which line, which bytes, which epoch
  ReplacedRead,
  NewMemory,  ///< as Allocate, but no heap block
  LockRead,   ///< as AtomicRead; to the shadow it is a plain read
};

class AccessLog {
 public:
  static constexpr u64 kAddresses = (u64{1} << 48) - 1;
  struct Entry {
    u64 place;  ///< address (48 bits), what (4), bytes (12; a longer range has several entries)
    u64 rest;   ///< the node of the function (32), local time (32)
    uptr pc;

    uptr address() const { return place & kAddresses; }
    LogKind what() const { return static_cast<LogKind>((place >> 48) & 15); }
    u32 bytes() const { return static_cast<u32>(place >> 52); }
    Place where() const { return {pc, static_cast<u32>(rest)}; }
    Time time() const { return static_cast<Time>(rest >> 32); }
    bool is_replaced() const { return what() >= LogKind::ReplacedWrite && what() <= LogKind::ReplacedRead; }
    bool begins_life() const { return what() == LogKind::Allocate || what() == LogKind::NewMemory; }
    bool covers(uptr byte) const { return byte - address() < bytes(); }

    // Of a word that was replaced, `rest` is the word.
    Word replaced_word() const { return Word::of_bits(rest); }
    ByteSet replaced_bytes() const { return ByteSet(pc); }
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

  OMEN_INLINE void add(uptr address, u64 bytes, LogKind what, Place where, u32 time) {
    add_words(address, bytes, what, u64{where.frame} | (u64{time} << 32), where.pc);
  }
  /// A word of another thread, perhaps a bound, is no longer in the shadow.
  void add_replaced(uptr line, ByteSet bytes, bool write, Word word) {
    add_words(line, 0, write ? LogKind::ReplacedWrite : LogKind::ReplacedRead, word.bits(), bytes.bits());
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

  OMEN_INLINE void add_words(uptr address, u64 bytes, LogKind what, u64 rest, uptr pc) {
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

}  // namespace omen::rt::detect
