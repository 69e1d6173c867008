/// \file
/// The slow form of a line's history: a list of accesses, each with its bytes, in memory from a pool.
///
/// An *entry* is one access (`Word`) to a set of bytes. The history of a byte is all entries that have it. An access
/// removes its bytes from the entries that it makes superfluous (slow_path.cpp says which), so most bytes have one or
/// two entries.
///
/// Chunks of 128 bytes form a list for each line that needs one; they are named by number, and
/// owned by the holder of the line's lock. Their memory is never used for anything else.
#pragma once

#include <utility>

#include "analysis/memory.hpp"
#include "capture/runtime/detector/word.hpp"

namespace omen::rt::detect {

struct Entry {
  Word word;
  ByteSet bytes;
  bool operator==(const Entry&) const = default;
};

/// Entries that are being worked on.
class History {
 public:
  void clear() { entries_.clear(); }
  bool is_empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  Entry& operator[](std::size_t i) { return entries_[i]; }

  /// Entries of one access are one.
  void add(Word word, ByteSet bytes) { add(word, bytes, entries_.size()); }
  /// The same of an access that may be one of the first entries, so many, and is none of the others.
  void add(Word word, ByteSet bytes, std::size_t first) {
    if (bytes.is_empty()) return;
    for (std::size_t i = 0; i < first; ++i) {
      if (entries_[i].word == word) {
        entries_[i].bytes |= bytes;
        return;
      }
    }
    entries_.push_back({word, bytes});
  }
  void remove_empty() {
    std::erase_if(entries_, [](const Entry& entry) { return entry.bytes.is_empty(); });
  }

 private:
  Vector<Entry> entries_;
};

class DetailPool {
 public:
  using Number = u32;  ///< of a list's first chunk; 0: no list

  bool create() {
    chunks_ = static_cast<Chunk*>(map_memory(kMost * sizeof(Chunk)));
    return chunks_ != nullptr;
  }

  /// Adds the entries of the list to `history`.
  void load(Number list, History& history) const {
    const std::size_t before =
        history.size();  // those of a list are of different accesses: thousands, with many threads
    for (; list != 0; list = chunks_[list].next) {
      const Chunk& chunk = chunks_[list];
      for (u32 i = 0; i < chunk.count; ++i) history.add(chunk.entries[i].word, chunk.entries[i].bytes, before);
    }
  }
  /// The list has these entries instead; the number that it has now. `shard`: threads keep to their own. If there is no
  /// memory left, entries are lost: races may be missed.
  Number store(Number list, const History& history, u32 shard) {
    Number first = list;
    Number last = 0;
    auto next = history.begin();
    for (Number at = list; next != history.end();) {
      if (at == 0) {
        at = take(shard);
        if (at == 0) break;
        chunks_[at].next = 0;
        (last == 0 ? first : chunks_[last].next) = at;
      }
      Chunk& chunk = chunks_[at];
      for (chunk.count = 0; chunk.count < kEntries && next != history.end(); ++next) {
        chunk.entries[chunk.count++] = *next;
      }
      last = at;
      at = chunk.next;
    }
    const Number rest = last == 0 ? list : std::exchange(chunks_[last].next, 0);
    give_back(rest, shard);
    return last == 0 ? 0 : first;
  }

  u64 live() const { return live_.load(std::memory_order_relaxed); }
  u64 live_bytes() const { return live() * sizeof(Chunk); }
  void forget_all() {
    forget_memory(chunks_, kMost * sizeof(Chunk));
    for (Shard& shard : shards_) {
      shard.lock.reset();
      shard.free = 0;
    }
    made_.store(1, std::memory_order_relaxed);
    live_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr u32 kMost = u32{1} << 26;
  static constexpr u32 kEntries = 7;
  static constexpr u32 kShards = 64;
  static constexpr u32 kBatch = 32;  ///< chunks that a shard takes at a time

  struct alignas(64) Chunk {
    Number next;
    u32 count;
    Entry entries[kEntries];
  };
  static_assert(sizeof(Chunk) == 128);
  struct alignas(64) Shard {
    SpinLock lock;
    Number free = 0;  ///< linked by `next`
  };

  Number take(u32 number) {
    Shard& shard = shards_[number % kShards];
    const SpinGuard guard(shard.lock);
    if (shard.free == 0) {
      const u32 first = made_.fetch_add(kBatch, std::memory_order_relaxed);
      if (first >= kMost - kBatch) return 0;
      for (u32 i = 0; i < kBatch; ++i) {
        chunks_[first + i].next = shard.free;
        shard.free = first + i;
      }
    }
    live_.fetch_add(1, std::memory_order_relaxed);
    return std::exchange(shard.free, chunks_[shard.free].next);
  }
  void give_back(Number list, u32 number) {
    if (list == 0) return;
    Shard& shard = shards_[number % kShards];
    const SpinGuard guard(shard.lock);
    while (list != 0) {
      const Number next = std::exchange(chunks_[list].next, shard.free);
      shard.free = list;
      list = next;
      live_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  Chunk* chunks_ = nullptr;
  std::atomic<u32> made_{1};
  std::atomic<u64> live_{0};
  Shard shards_[kShards];
};

}  // namespace omen::rt::detect
