/// \file
/// The shadow of 64 bytes of the program's memory in 64 bytes: one line of the processor's caches.
///
/// The fast form of a history. A line has two *line words*, the last write and the last read. Each is an epoch, the
/// bytes that were accessed then, and the *bounded* bytes: their last access of that kind is not later than the
/// *bound*, and was fully ordered before the epoch when the word was written. A thread that is fully ordered after the
/// bound is fully ordered after that access. Any other thread finds its epoch in the log of the word's thread
/// (bounds.cpp).
///
/// The bound is the epoch before the word's: what the thread itself accessed earlier, it accessed in earlier epochs. It
/// is the word's epoch if the word took bytes over from another thread's, whose accesses the thread may have come to
/// know in that epoch; such a word is *loose*. In WCP the epoch before is the bound only for threads for which it is
/// settled: program order does not make earlier sections known.
///
/// A thread that writes what is its own leaves its read word as it is: bytes that are in both words were written last
/// if the write is not before the read (`live_read`).
///
/// The read word may be a `ReaderSet` instead: then the reads are in the readers' own tables (thread_reads.hpp).
///
/// Where neighbours are used apart, so that one epoch cannot stand for all of them, a line is *split*: each group of
/// eight bytes has words of its own (split_line.hpp).
///
/// What such words cannot say - accesses that are not ordered, atomic accesses, accesses whose sections may still have
/// to order others - is in a `Detail` (detail.hpp), the slow form, by groups of eight bytes: `detailed()` says which
/// bytes, and the words say nothing of these.
///
/// For what the line words do not say, in a split line or a detail, they are hints: a word that has the epoch of a
/// thread and such bytes means that the thread has made this plain access in its epoch.
///
/// Concurrency: fast_path.hpp.
#pragma once

#include <emmintrin.h>

#include <cstddef>

#include "capture/abi/layout.hpp"
#include "capture/runtime/detector/word.hpp"

namespace omen::rt::detect {

/// Not in WCP. Set before the first access.
extern bool bounds_are_strict;

/// A line word, or what a thread's own table has of a line.
struct LineWord {
  Word epoch;
  ByteSet bytes;
  ByteSet bounded;  ///< those of `bytes` do not count: they are there if the word is loose

  static OMEN_INLINE LineWord of(Word epoch, ByteSet bytes, ByteSet bounded, bool is_loose) {
    bounded -= bytes;
    return {epoch, bytes, bounded | (bytes & ByteSet::all_if(is_loose & !bounded.is_empty()))};
  }
  OMEN_INLINE ByteSet touched() const { return bytes | bounded; }
  OMEN_INLINE ByteSet bounded_only() const { return bounded - bytes; }
  OMEN_INLINE bool is_loose() const { return bytes.is_empty() || bounded.meets(bytes); }
  /// The accesses to the bounded bytes are not later than that, …
  OMEN_INLINE Word latest_bounded() const { return is_loose() ? epoch : epoch.before(); }
  /// … and whoever knows the sections of this epoch knows theirs.
  OMEN_INLINE Word bound() const { return bounds_are_strict ? latest_bounded() : epoch; }
  bool operator==(const LineWord&) const = default;
};

/// An epoch and its bytes, read and written as one: processors with AVX do that with sixteen aligned bytes.
class alignas(16) EpochAndBytes {
 public:
  OMEN_INLINE void load(Word& epoch, ByteSet& bytes) const {
    __m128i both;
    asm volatile("movdqa %1, %0" : "=x"(both) : "m"(words_));
    epoch = Word::of_bits(static_cast<u64>(_mm_cvtsi128_si64(both)));
    bytes = ByteSet(static_cast<u64>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both))));
  }
  OMEN_INLINE void store(Word epoch, ByteSet bytes) {
    const __m128i both = _mm_set_epi64x(static_cast<long long>(bytes.bits()), static_cast<long long>(epoch.bits()));
    asm volatile("movdqa %1, %0" : "=m"(words_) : "x"(both) : "memory");
  }
  OMEN_INLINE Word epoch() const { return Word::of_bits(words_[0].load(std::memory_order_relaxed)); }
  OMEN_INLINE ByteSet bytes() const { return ByteSet(words_[1].load(std::memory_order_relaxed)); }

  bool replace_epoch(Word seen, Word next) {
    u64 expected = seen.bits();
    return words_[0].compare_exchange_strong(expected, next.bits(), std::memory_order_relaxed);
  }

  /// Has the thread accessed these bytes at its epoch, `now`? Nobody else writes that epoch, or bytes beside it that
  /// are not the thread's, so the two need not be read as one.
  OMEN_INLINE bool has(Word now, ByteSet wanted) const { return epoch() == now && bytes().contains(wanted); }

 private:
  std::atomic<u64> words_[2];
};

struct alignas(64) ShadowLine {
  // The program's own code looks at these two (capture/pass/inlined_checks.cpp).
  EpochAndBytes write;
  EpochAndBytes read;
  std::atomic<u64> bounded_writes;
  std::atomic<u64> bounded_reads;
  std::atomic<u64> detailed_bytes;
  std::atomic<u64> control;  ///< the lock bit, whether the line is split, and the number of the detail

  static constexpr u64 kLock = u64{1} << 63;
  static constexpr u64 kSplit = u64{1} << 62;

  OMEN_INLINE LineWord load_write() const { return load(write, bounded_writes); }
  OMEN_INLINE LineWord load_read() const { return load(read, bounded_reads); }
  OMEN_INLINE void store_write(const LineWord& word) { store(write, bounded_writes, word); }
  OMEN_INLINE void store_read(const LineWord& word) { store(read, bounded_reads, word); }

  OMEN_INLINE ByteSet detailed() const { return ByteSet(detailed_bytes.load(std::memory_order_relaxed)); }
  /// Does no detail have any of these bytes, and is nobody at work here?
  OMEN_INLINE bool is_plain(ByteSet wanted) const {
    return ((detailed().bits() & wanted.bits()) | (control.load(std::memory_order_relaxed) & kLock)) == 0;
  }
  /// The groups' own words say what the line words said.
  OMEN_INLINE bool is_split() const { return (control.load(std::memory_order_relaxed) & kSplit) != 0; }
  OMEN_INLINE bool is_empty() const {
    return (write.epoch().bits() | read.epoch().bits() | control.load(std::memory_order_relaxed)) == 0;
  }

  static OMEN_INLINE LineWord load(const EpochAndBytes& word, const std::atomic<u64>& bounded) {
    LineWord loaded;
    word.load(loaded.epoch, loaded.bytes);
    loaded.bounded = ByteSet(bounded.load(std::memory_order_relaxed));
    return loaded;
  }
  static OMEN_INLINE void store(EpochAndBytes& to, std::atomic<u64>& bounded, const LineWord& word) {
    bounded.store(word.bounded.bits(), std::memory_order_relaxed);
    to.store(word.epoch, word.bytes);
  }

  /// Adds a thread to the readers, whose word stands in its table already. False: they have changed.
  OMEN_INLINE bool add_reader(Word readers, Slot slot) {
    ReaderSet next(readers);
    next.add(slot);
    return read.replace_epoch(readers, next.word());
  }

  // Of whoever holds the lock.
  void lock() {
    for (Backoff backoff;; backoff.wait()) {
      u64 seen = control.load(std::memory_order_relaxed);
      if ((seen & kLock) == 0 &&
          control.compare_exchange_weak(seen, seen | kLock, std::memory_order_acquire, std::memory_order_relaxed)) {
        return;
      }
    }
  }
  void unlock() { control.store(control.load(std::memory_order_relaxed) & ~kLock, std::memory_order_release); }
  u32 detail() const { return static_cast<u32>(control.load(std::memory_order_relaxed)); }
  void set_detail(u32 number) {
    control.store((control.load(std::memory_order_relaxed) & kSplit) | kLock | number, std::memory_order_relaxed);
  }
  void set_split() { control.store(control.load(std::memory_order_relaxed) | kSplit, std::memory_order_relaxed); }
  void set_detailed(ByteSet bytes) { detailed_bytes.store(bytes.bits(), std::memory_order_relaxed); }
};
static_assert(sizeof(ShadowLine) == abi::kLineSize && offsetof(ShadowLine, write) == abi::kLineWritten &&
              offsetof(ShadowLine, read) == abi::kLineRead);

/// The same-epoch cases: has the thread made this access before, in its epoch? Whether a word is of this epoch is as
/// good as random, so there is no branch for it.
template <bool write>
OMEN_INLINE bool is_repeated(const ShadowLine& line, Word now, ByteSet wanted) {
  ByteSet known = line.write.bytes() & ByteSet::all_if(line.write.epoch() == now);
  if (!write) known |= line.read.bytes() & ByteSet::all_if(line.read.epoch() == now);
  return known.contains(wanted);
}

/// The word after `now` has accessed the wanted bytes; its other bytes are fully ordered before that.
OMEN_INLINE LineWord with_access(const LineWord& word, Word now, ByteSet wanted) {
  if (word.epoch == now) return LineWord::of(now, word.bytes | wanted, word.bounded, word.is_loose());
  return LineWord::of(now, wanted, word.touched(), word.epoch.slot() != now.slot());
}
OMEN_INLINE LineWord without_bytes(const LineWord& word, ByteSet bytes) {
  const ByteSet left = word.bytes - bytes;
  const ByteSet bounded = word.bounded_only() - bytes;
  if (!left.is_empty()) return LineWord::of(word.epoch, left, bounded, word.is_loose());
  return bounded.is_empty() ? LineWord{} : LineWord{word.bound(), {}, bounded};
}

/// The read word without what its thread has written since.
OMEN_INLINE LineWord live_read(const LineWord& written, const LineWord& read) {
  const bool superseded =
      !read.epoch.is_shared() && read.epoch.slot() == written.epoch.slot() && read.epoch.time() <= written.epoch.time();
  return superseded ? without_bytes(read, written.bytes) : read;
}

}  // namespace omen::rt::detect
