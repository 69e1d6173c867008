/// \file
/// The shadow of the program's memory, and what accesses make of it. fast_path.hpp decides nearly all of them; this is
/// the rest: the slow path, atomic accesses, and memory that begins or ends its life.
#pragma once

#include "capture/runtime/detector/section_order.hpp"
#include "capture/runtime/detector/shadow_map.hpp"
#include "capture/runtime/detector/thread_reads.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::detect {

class Reports;
struct SplitLine;

/// What is behind the bounds of a line's bytes (bounds.cpp).
class BehindBounds {
 public:
  void add(Word word, ByteSet bytes) {
    if (!bytes.is_empty()) entries_[count_++] = {word, bytes};
  }
  const Entry* begin() const { return entries_; }
  const Entry* end() const { return entries_ + count_; }

 private:
  Entry entries_[kLineSize];  ///< of different bytes, so there are no more
  std::size_t count_ = 0;
};

class Shadow {
 public:
  bool create() { return map_.create() && details_.create(); }
  /// `counts`: the rules of the papers are counted, for which the fast path is not taken.
  void start(const SectionOrder& order, ThreadSlot* slots, const std::atomic<Slot>& slot_count, Reports& reports,
             bool counts) {
    order_ = order;
    slots_ = slots;
    slot_count_ = &slot_count;
    reports_ = &reports;
    counts_ = counts;
    bounds_are_strict = order.knows_own_sections();
  }
  /// Everything is empty again.
  void forget_all();

  /// A plain access of any length. The caller has seen to it that the thread is to be watched.
  void access(ThreadState* thread, uptr address, u64 bytes, LogKind what, uptr pc);
  /// Bytes of one line, which the fast path did not decide.
  void access_bytes(ThreadState* thread, uptr line, ByteSet wanted, bool write, uptr pc);
  /// An atomic access.
  void access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  /// The same if there is nothing to be learned by it; false: there may be, and nothing has been done.
  bool access_atomically_if_settled(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  /// Taking a lock reads it: locks are memory too, which making and destroying them writes.
  void read_lock(ThreadState* thread, uptr address, uptr pc);

  /// The memory begins or ends its life. Nobody may use it now, so nobody is to be waited for.
  void clear(const DetectorThread& t, uptr begin, uptr end);

  bool is_contended(uptr address) const { return map_.is_contended(address); }

  struct Counters {
    u64 bounds_found;  ///< whose epochs were found in the logs
    u64 bounds_lost;   ///< whose logs were too short
    u64 details;       ///< chunks in use
    u64 detail_bytes;
    u64 line_bytes;
  };
  u64 line_bytes() const;
  Counters counters() const {
    return {bounds_found_, bounds_lost_, details_.live(), details_.live_bytes(), line_bytes()};
  }

 private:
  enum class If : u8 { Always, Settled };
  struct LineAccess;

  bool access_line(ThreadState* thread, uptr base, ByteSet wanted, AccessKind kind, If when);
  void log(ThreadState* thread, DetectorThread& t) const;
  static bool is_same_epoch(DetectorThread& t, const ShadowLine& line, ByteSet wanted, AccessKind kind);

  static void add_word(const DetectorThread& t, History& history, const LineWord& word, AccessKind kind, ByteSet bytes);
  void unpack(const LineAccess& access, History& history, ByteSet bytes) const;
  void unpack_readers(const LineAccess& access, History& history, ByteSet bytes) const;
  void unpack_other_readers(const LineAccess& access, History& history) const;
  bool leaves_readers(const LineAccess& access) const;
  bool must_resolve(LineAccess& access, Word word) const;
  void resolve_bounds(LineAccess& access) const;
  static ByteSet repeated(const LineAccess& access);
  bool is_all_settled(LineAccess& access) const;
  void learn_and_judge(LineAccess& access) const;
  void update(LineAccess& access) const;
  void displace(LineAccess& access, Word word, ByteSet bytes) const;
  void merge_displaced(LineAccess& access) const;
  void count_rule(const LineAccess& access) const;
  bool pack(LineAccess& access);
  bool pack_write(LineAccess& access) const;
  bool pack_read(LineAccess& access);
  void put_into_detail(LineAccess& access);
  void hint(LineAccess& access) const;
  bool may_be_bounded(LineAccess& access, Word word) const;

  // split_path.cpp
  struct GroupPlan;
  void unpack_groups(const LineAccess& access, History& history, ByteSet bytes) const;
  bool plan_group(LineAccess& access, u32 group, GroupPlan& plan) const;
  bool pack_groups(LineAccess& access);
  void split(LineAccess& access);
  bool split_at_bounds(LineAccess& access);
  static ByteSet shared_groups(const SplitLine& split, ByteSet bytes);
  ByteSet bytes_of_readers(const LineAccess& access) const;
  static void log_bounded(LineAccess& access, ByteSet bounded);
  void share_group(LineAccess& access, u32 group, const LineWord& read);
  void add_to_readers(LineAccess& access, ByteSet shared);
  void take_from_readers(LineAccess& access, ByteSet shared) const;
  static void clear_groups(SplitLine& split, ByteSet bytes);

  template <class Visit>
  void for_each_reader(Word readers, uptr base, Visit visit) const;

  // clear_path.cpp
  void clear_line(const DetectorThread& t, ShadowLine& line, uptr base, ByteSet bytes);
  void clear_lines(const DetectorThread& t, uptr begin, uptr end);

  // bounds.cpp
  void find_bounds(DetectorThread& t, Word bound, uptr base, ByteSet bytes, bool write, BehindBounds& behind) const;

  ShadowMap map_;
  DetailPool details_;
  SectionOrder order_;
  ThreadSlot* slots_ = nullptr;
  const std::atomic<Slot>* slot_count_ = nullptr;
  Reports* reports_ = nullptr;
  bool counts_ = false;
  mutable std::atomic<u64> bounds_found_{0};
  mutable std::atomic<u64> bounds_lost_{0};
};

OMEN_INLINE Word bound_for(const DetectorThread& t, const LineWord& word) {
  return t.is_settled(word.latest_bounded()) ? word.latest_bounded() : word.bound();
}

/// A word of another thread gives way to one of t's: what it said of other bytes is kept in t's log, for bounds.
OMEN_INLINE void log_replaced(DetectorThread& t, uptr base, const LineWord& word, ByteSet wanted, bool write) {
  if (OMEN_LIKELY(word.epoch.is_none() || t.is_own(word.epoch))) return;
  const auto keep = [&](ByteSet bytes, Word replaced) {
    if (bytes.is_empty()) return;
    t.log->add_replaced(base, bytes, write, replaced);
  };
  keep(word.bytes - wanted, word.epoch);
  keep(word.bounded_only() - wanted, bound_for(t, word).as_bound());
}

}  // namespace omen::rt::detect
