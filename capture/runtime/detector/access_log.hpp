/// \file
/// A thread's latest accesses, lock steps and blocks: a ring of records. Reports find the stack of the earlier access
/// here; the slow path finds the epochs for which a shadow word has an upper bound only.
///
/// A record takes twelve bytes, in two arrays: its *place* (address, kind, length), and the lower half of its pc. What
/// consecutive records have in common, which is the function's stack node, the local time and the upper half of the pc,
/// is in a *context* record before them. The writer repeats it after `kContextEvery` records, so that a reader finds it
/// although older records have been overwritten. A search reads the places only.
///
/// Protocol: only the thread writes; it publishes the end of the ring after each record. A reader copies a record and
/// then checks that the end has not moved past it; a record that was overwritten meanwhile is not visited.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/detector/word.hpp"
#include "capture/runtime/stacks/stack_table.hpp"

namespace omen::rt::detect {

enum class LogKind : u8 {
  Nothing = 0,  ///< in the ring: the rest of the record that follows
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
  Context,    ///< what the records that follow have in common
};

OMEN_INLINE constexpr bool is_access(LogKind what) {
  return (what >= LogKind::Read && what <= LogKind::AtomicWrite) || what == LogKind::LockRead;
}

class alignas(64) AccessLog {
 public:
  static constexpr u64 kAddresses = (u64{1} << 48) - 1;
  struct Entry {
    u64 place;  ///< address (48 bits), what (4), bytes (12; a longer range has several entries)
    u64 rest;   ///< the node of the function (32), local time (32)
    uptr pc;

    uptr address() const { return place & kAddresses; }
    LogKind what() const { return kind_of(place); }
    u32 bytes() const { return static_cast<u32>(place >> 52); }
    Place where() const { return {pc, static_cast<u32>(rest)}; }
    Time time() const { return static_cast<Time>(rest >> 32); }
    bool is_replaced() const { return what() == LogKind::ReplacedWrite || what() == LogKind::ReplacedRead; }
    bool begins_life() const { return what() == LogKind::Allocate || what() == LogKind::NewMemory; }

    // Of a word that was replaced, `rest` is the word.
    Word replaced_word() const { return Word::of_bits(rest); }
    ByteSet replaced_bytes() const { return ByteSet(pc); }
  };
  static constexpr u64 kLongest = 4095;

  /// `records`: a power of two, more than `kContextEvery`.
  bool create(u32 records) {
    void* const memory = map_memory(records * kRecordSize);
    mask_ = records - 1;
    places_.store(static_cast<std::atomic<u64>*>(memory), std::memory_order_release);
    return memory != nullptr;
  }
  u64 bytes() const {
    const void* const memory = places_.load(std::memory_order_relaxed);
    return memory == nullptr ? 0 : resident_bytes(memory, (mask_ + 1) * kRecordSize);
  }
  bool exists() const { return places_.load(std::memory_order_relaxed) != nullptr; }

  OMEN_INLINE void add(uptr address, u64 bytes, LogKind what, Place where, Time time) {
    const u64 common = u64{where.frame} | (u64{time} << 32);
    const u64 next = next_.load(std::memory_order_relaxed);
    if (OMEN_UNLIKELY(((common ^ common_) | ((where.pc ^ common_pc_) >> 32)) != 0 || next >= context_end_)) {
      put_context(common, where.pc);
    }
    if (!is_access(what)) count_others(1);
    put(place(address, what) | (bytes << 52), static_cast<u32>(where.pc));
  }
  /// A word of another thread, perhaps a bound, is no longer in the shadow.
  void add_replaced(uptr line, ByteSet bytes, bool write, Word word) {
    count_others(2);
    put(place(word.bits(), LogKind::Nothing), static_cast<u32>(bytes.bits() >> 32));
    put(place(line, write ? LogKind::ReplacedWrite : LogKind::ReplacedRead), static_cast<u32>(bytes.bits()));
  }
  /// So many accesses have been added.
  u64 accesses() const { return next_.load(std::memory_order_relaxed) - others_.load(std::memory_order_relaxed); }

  /// Visits the entries, latest first, until `visit(entry, position)` returns true; was there such a one?
  template <class Visit>
  bool any_before(u64 end, Visit visit) const {
    return any_before(end, 0, [](uptr) { return true; }, visit);
  }
  /// The same of those entries from `from` on only for whose address `may` is true. It is asked of entries that have
  /// just been overwritten, and of words that are no address, too.
  template <class May, class Visit>
  bool any_before(u64 end, u64 from, May may, Visit visit) const {
    const std::atomic<u64>* const places = places_.load(std::memory_order_acquire);
    if (places == nullptr) return false;
    const u64 oldest = end > mask_ ? end - mask_ : 0;
    const u64 first = oldest > from ? oldest : from;
    Context context;
    for (u64 i = end; i-- > first;) {
      Entry entry{places[i & mask_].load(std::memory_order_relaxed), 0, 0};
      if (OMEN_LIKELY(!may(entry.address()))) continue;
      if (entry.what() == LogKind::Nothing || entry.what() == LogKind::Context) continue;
      if (!complete(i, context, entry)) return false;  // overwritten, as all before it
      if (visit(entry, i)) return true;
    }
    return false;
  }
  u64 end() const { return next_.load(std::memory_order_acquire); }
  /// Have all entries from this one on been there while they were looked at? It is the first of its local time.
  bool has_all_from(u64 from) const { return exists() && has(from); }

 private:
  static constexpr u64 kRecordSize = sizeof(u64) + sizeof(u32);
  static constexpr u64 kContextEvery = 1024;

  /// What a context record says, and where it is.
  struct Context {
    u64 position = ~u64{0};
    u64 common = 0;
    uptr pc = 0;  ///< the upper half
  };

  static OMEN_INLINE constexpr u64 place(u64 address, LogKind what) {
    return (address & kAddresses) | (u64{static_cast<u8>(what)} << 48);
  }
  static constexpr LogKind kind_of(u64 place) { return static_cast<LogKind>((place >> 48) & 15); }
  /// The array of the pcs stands behind the places.
  OMEN_INLINE std::atomic<u32>& code(u64 position) const {
    auto* const places = places_.load(std::memory_order_relaxed);
    return reinterpret_cast<std::atomic<u32>*>(places + mask_ + 1)[position & mask_];
  }
  OMEN_INLINE void put(u64 place, u32 code_word) {
    const u64 next = next_.load(std::memory_order_relaxed);
    places_.load(std::memory_order_relaxed)[next & mask_].store(place, std::memory_order_relaxed);
    code(next).store(code_word, std::memory_order_relaxed);
    next_.store(next + 1, std::memory_order_release);
  }
  OMEN_INLINE void count_others(u64 records) {
    others_.store(others_.load(std::memory_order_relaxed) + records, std::memory_order_relaxed);
  }
  OMEN_INLINE void put_context(u64 common, uptr pc) {
    common_ = common;
    common_pc_ = pc;
    context_end_ = next_.load(std::memory_order_relaxed) + kContextEvery;
    count_others(1);
    put(place((pc >> 32 << 32) | static_cast<u32>(common), LogKind::Context), static_cast<u32>(common >> 32));
  }

  /// Has the record at this position not been overwritten, after it was read?
  bool has(u64 position) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return next_.load(std::memory_order_relaxed) <= position + mask_;
  }
  /// Fills in what is not in the entry's place. `context`: the one that was found last. False: it is not known any
  /// more.
  bool complete(u64 position, Context& context, Entry& entry) const {
    if (entry.is_replaced()) {
      entry.rest = places_.load(std::memory_order_relaxed)[(position - 1) & mask_].load(std::memory_order_relaxed);
      entry.pc = code(position).load(std::memory_order_relaxed) |
                 (u64{code(position - 1).load(std::memory_order_relaxed)} << 32);
      return has(position - 1);
    }
    if (context.position >= position && !find_context(position, context)) return false;
    entry.rest = context.common;
    entry.pc = context.pc | code(position).load(std::memory_order_relaxed);
    return has(position);
  }
  bool find_context(u64 position, Context& context) const {
    const std::atomic<u64>* const places = places_.load(std::memory_order_relaxed);
    for (u64 n = 0; n <= kContextEvery && position-- > 0; ++n) {
      const u64 place = places[position & mask_].load(std::memory_order_relaxed);
      if (kind_of(place) != LogKind::Context) continue;
      const u64 time = code(position).load(std::memory_order_relaxed);
      context = {position, (time << 32) | static_cast<u32>(place), place & kAddresses & ~u64{~u32{0}}};
      return has(position);
    }
    return false;
  }

  std::atomic<std::atomic<u64>*> places_{nullptr};
  u64 mask_ = 0;  ///< set before the entries are there
  std::atomic<u64> next_{0};
  std::atomic<u64> others_{0};  ///< records that are no accesses
  // Only the thread itself looks at these: the context of its latest record, and where that ends.
  u64 common_ = 0;
  uptr common_pc_ = 0;
  u64 context_end_ = 0;
};

}  // namespace omen::rt::detect
