/// \file
/// The recorder's state of the program's memory: for each cache line the thread that accessed it last, and the bytes
/// that this thread has accessed since its last synchronisation. It answers two questions at the cost of one cache
/// miss.
///
/// *Is the access redundant?* The thread that owns the line has accessed these bytes in the same or a stronger way
/// since its last synchronisation (the same-epoch case of the analyses, decided at the access): nothing is recorded.
///
/// *Does it need a fresh number?* Accesses that are ordered by synchronisation get the right order from its numbers.
/// Only racing accesses remain; for those the state of the line says whether another thread accessed it. A state is
/// - 0: not accessed,
/// - owned by one thread: that thread's accesses need nothing,
/// - shared: read by several threads since the number it holds; a reader's own number must be greater. Readers write
///   nothing here; each has its own filter of what it has read (`SharedLines`).
/// A state changes only under its lock bit, and the fresh number is taken under it: a thread that saw itself as the
/// owner before that has a smaller number.
///
/// The table has a fixed size. Lines that share an entry only cost a few more fresh numbers and records. A thread that
/// loses a line may still mark bytes as known during the change; then an access of the new owner may be dropped, and at
/// worst a race is missed.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

inline constexpr uptr kLineBytes = 64;

/// An address divided by this is the number of its line.
OMEN_INLINE uptr line_of(uptr address) {
  return address / kLineBytes;
}

/// The bytes of a line that one thread read and wrote in one epoch. Written bytes count as read too, except those that
/// an update wrote: a later reader may depend on the value, and the update itself does not.
struct LineBytes {
  u64 key;  ///< of the line and the epoch
  u64 read;
  u64 written;

  OMEN_INLINE u64 unknown(u64 bytes, bool write) const { return bytes & ~(write ? written : read); }
  OMEN_INLINE void add(u64 wanted, u64 bytes, bool write) {
    if (key != wanted) *this = {wanted, 0, 0};
    read |= bytes;
    if (write) written |= bytes;
  }
  OMEN_INLINE void add_update(u64 wanted, u64 bytes) {
    if (key != wanted) *this = {wanted, 0, 0};
    written |= bytes;
    read &= ~bytes;
  }
  void forget(u64 bytes) {
    read &= ~bytes;
    written &= ~bytes;
  }
};

class LineTable {
 public:
  struct Entry {
    std::atomic<u64> state;
    LineBytes bytes;  ///< the owner's
  };

  bool create() {
    entries_ = static_cast<Entry*>(map_large_pages(kEntries * sizeof(Entry)));
    return entries_ != nullptr;
  }
  /// In a forked child: no lock bit survives.
  void reset() { forget_memory(entries_, kEntries * sizeof(Entry)); }

  OMEN_INLINE Entry& at(uptr line) { return entries_[index(line)]; }

  /// The thread's first count of synchronisations: far from the others', so that no two threads have the same key.
  static u64 first_epoch(u64 thread) { return (thread * 0x9E3779B97F4A7C15ULL) >> kEpochShift; }
  /// `epoch` counts the thread's synchronisations. No other thread has this key.
  static OMEN_INLINE u64 key(uptr line, u64 epoch) { return (line >> kIndexBits) | (epoch << kEpochShift); }

  /// Notes an access: afterwards the line is owned by the thread (true), or shared (false). `thread` counts from 1;
  /// `number` is the thread's, and `counter` gives fresh ones.
  static OMEN_INLINE bool touch(Entry& entry, bool write, u64 thread, u64& number, std::atomic<u64>& counter) {
    const u64 state = entry.state.load(std::memory_order_acquire);
    if (OMEN_LIKELY(state == thread)) return true;
    if ((state & (kShared | kLocked)) == kShared && !write && (state & kNumber) < number) return false;
    return touch_slowly(entry, write, thread, number, counter);
  }

  /// A lower bound of the number since which several threads read the line. If it is written meanwhile, any number.
  static u64 shared_since(const Entry& entry) { return entry.state.load(std::memory_order_relaxed) & kNumber; }

 private:
  static constexpr u32 kIndexBits = 19;
  static constexpr u32 kEpochShift = 42 - kIndexBits;
  static constexpr std::size_t kEntries = std::size_t{1} << kIndexBits;
  static constexpr u64 kLocked = u64{1} << 63;
  static constexpr u64 kShared = u64{1} << 62;
  static constexpr u64 kNumber = kShared - 1;

  /// Stacks and arenas lie at multiples of large powers of two: their distance must not vanish.
  static OMEN_INLINE std::size_t index(uptr line) { return (line ^ ((line >> kIndexBits) * 0x9E3B5)) & (kEntries - 1); }

  static OMEN_NOINLINE bool touch_slowly(Entry& entry, bool write, u64 thread, u64& number, std::atomic<u64>& counter) {
    u64 state = entry.state.load(std::memory_order_relaxed);
    for (u32 tries = 0;; ++tries) {
      if ((state & kLocked) == 0 &&
          entry.state.compare_exchange_weak(state, state | kLocked, std::memory_order_acquire)) {
        break;
      }
      if (tries > 100) {
        yield_cpu();
      } else {
        __builtin_ia32_pause();
      }
      state = entry.state.load(std::memory_order_relaxed);
    }
    u64 next = thread;
    if (state != 0 && state != thread) {
      number = counter.fetch_add(1, std::memory_order_relaxed) + 1;
      entry.bytes = {};
      if (!write) next = kShared | number;
    }
    entry.state.store(next, std::memory_order_release);
    return next == thread;
  }

  Entry* entries_ = nullptr;
};

/// The bytes of shared lines that one thread has read: a small direct-mapped table.
class SharedLines {
 public:
  OMEN_INLINE LineBytes& at(uptr line) { return entries_[(line ^ (line >> 11)) & (kEntries - 1)]; }
  /// The whole line number and 22 bits of the epoch.
  static OMEN_INLINE u64 key(uptr line, u64 epoch) { return line | (epoch << 42); }
  void clear() {
    for (LineBytes& entry : entries_) entry = {};
  }

 private:
  static constexpr std::size_t kEntries = 2048;
  LineBytes entries_[kEntries] = {};
};

}  // namespace omen::rt
