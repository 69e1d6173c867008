/// \file
/// Detection while the program runs (docs/online.md): each access meets the shadow of its memory, each synchronisation
/// the order of the analysis. This is what the rest of the runtime calls; the parts are
/// - `Shadow`: the last accesses to each byte, and what a new one makes of them;
/// - `Order`: the clocks of the analysis, of threads and of objects;
/// - `Reports`: races, told;
/// - here: which threads there are, what their synchronisation does, and start and end of it all.
#pragma once

#include "capture/runtime/detector/message_log.hpp"
#include "capture/runtime/detector/reports.hpp"
#include "capture/runtime/detector/shadow.hpp"
#include "capture/runtime/detector/sync_objects.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt::detect {

class Detector {
 public:
  /// `setting` is ANALYSIS:FOLDER. False: the program is not watched. `watcher`: the process that reads the log, if it
  /// is not our parent.
  bool start(const char* setting, u32 watcher = 0);
  bool on() const { return order_ != nullptr; }
  /// Or it follows happens-before, which orders all sections of a lock.
  bool predicts() const { return on() && predicts_; }
  void start_again_in_child(ThreadState* thread);
  /// The last words: counters. The code to end with in place of the program's own; -1: its own.
  int finish();
  MessageLog& log() { return log_; }
  Shadow& shadow() { return shadow_; }

  /// Plain accesses that the fast path did not decide; of any thread.
  void access(ThreadState* thread, uptr address, u64 bytes, LogKind what, uptr pc) {
    if (OMEN_LIKELY(may_access(thread, address, bytes))) shadow_.access(thread, address, bytes, what, pc);
  }
  /// The same of bytes of one line.
  void access_bytes(ThreadState* thread, uptr line, ByteSet wanted, bool write, uptr pc) {
    if (OMEN_LIKELY(may_access(thread, line, kLineSize))) shadow_.access_bytes(thread, line, wanted, write, pc);
  }
  /// An atomic access, as an access: it races with plain ones.
  void access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
    if (is_watched(thread)) shadow_.access_atomically(thread, address, bytes, write, pc);
  }
  /// The same of one that reads, writes and orders nothing, if that is all that is to be done of it before it happens;
  /// and what is to be done afterwards: a fence may yet order what was released to the atomic.
  bool access_relaxed(ThreadState* thread, uptr address, u64 bytes, uptr pc) {
    return !predicts_ && is_watched(thread) && !thread->detector->has_fenced &&
           shadow_.access_atomically_if_settled(thread, address, bytes, true, pc);
  }
  void after_relaxed(ThreadState* thread, uptr address);

  void synchronise(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  /// A section on `lock` begins, and others have reached state behind it that nobody sees.
  void read_hidden_state(ThreadState* thread, uptr lock);
  /// Memory begins or ends its life.
  void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

  /// What the thread did cannot be told from what it may have done: it comes after all that the other one has done.
  void order_after_all_of(DetectorThread& t, Slot other);

 private:
  bool may_access(const ThreadState* thread, uptr address, u64 bytes) const {
    return thread->busy == 0 && thread->ignore_access == 0 && thread->detector != nullptr &&
           thread->watch != ThreadState::Watch::Alone && !off_ && bytes != 0 && address + bytes >= address;
  }
  bool is_watched(const ThreadState* thread) const {
    return thread->detector != nullptr && thread->watch != ThreadState::Watch::Alone && thread->ignore_access == 0 &&
           !off_;
  }

  bool make_parts();
  void refresh(ThreadState* thread);
  bool is_alone(const DetectorThread& t) const;
  void check_memory_limit();
  Counts counts_so_far();
  /// Whatever makes the process grow comes by here.
  OMEN_INLINE void look_at_memory(DetectorThread& t) {
    if (OMEN_UNLIKELY(++t.looks % kLooksBetweenChecks == 0)) check_memory_limit();
  }
  static constexpr u32 kLooksBetweenChecks = 1U << 14;
  /// From now on nothing is watched, because of what `say` writes.
  template <class Say>
  void stop_watching(Say say) {
    if (off_.exchange(true)) return;
    log_.begin();
    log_ << online_log::word::kIncomplete << " ";
    say();
    log_ << ": accesses are not watched from here on\n";
    log_.end();
  }

  // Threads (threads.cpp).
  Slot take_slot(const DetectorThread* parent);
  void stop_at_most_threads();
  void fork(DetectorThread& t, u32 child);
  void join(DetectorThread& t, u32 child);
  void attach(ThreadState* thread);
  void end(ThreadState* thread);

  // Synchronisation (sync.cpp).
  enum class Makes : u8 { Nothing, Object };
  enum class Changed : u8 { Nothing, Clock };
  template <class What, class Knows>
  void step(ThreadState* thread, uptr address, Makes makes, What what, Knows knows);
  void load(ThreadState* thread, uptr address, MemoryOrder order);
  void store(ThreadState* thread, uptr address, MemoryOrder order);
  void rmw(ThreadState* thread, uptr address, MemoryOrder order);
  void reach_hidden_state(ThreadState* thread, uptr address);
  void refused(ThreadState* thread, uptr address);
  void note_lock(DetectorThread& t, raw::RawOp op, uptr address, Place where);
  Changed lock_step(DetectorThread& t, raw::RawOp op, SyncObject& lock, SyncObjects::Number number);
  Changed acquire(DetectorThread& t, SyncObject& lock, SyncObjects::Number number, SectionMode mode, u32 depth);
  u32 release(DetectorThread& t, SyncObject& lock, SyncObjects::Number number, bool wholly);
  void make_irregular(DetectorThread& t, SyncObject& lock, SyncObjects::Number number);
  void learn_unpublished(DetectorThread& t, Slot other);
  void ask_to_leave(Slot slot, LockId lock, SectionMode mode);
  void leave_sections(DetectorThread& t);
  /// Does the thread know all that was known at this release? With happens-before that is so if it knows the release.
  bool knows_all_of(const DetectorThread& t, Word release) const {
    return !release.is_none() && epochs_tell_all_.load(std::memory_order_relaxed) && t.is_settled(release);
  }

  Order* order_ = nullptr;
  bool predicts_ = false;
  SectionOrder section_order_;
  Shadow shadow_;
  Reports reports_;
  MessageLog log_;
  SyncObjects* objects_ = nullptr;
  ThreadSlot* slots_ = nullptr;
  std::atomic<Slot> slot_count_{0};
  /// Whoever knows an epoch knows all that its thread knew when the epoch ended: each was published once, at its end,
  /// and the analysis is happens-before.
  std::atomic<bool> epochs_tell_all_{false};
  std::atomic<u32> running_{0};
  std::atomic<u32> ended_{0};  ///< and not joined
  SpinLock threads_lock_;      ///< guards which slots are used by whom, and the next
  struct KnownThread {
    u32 id;
    Slot slot;
  };
  Vector<KnownThread>* known_threads_ = nullptr;  ///< that run, or have not been joined
  bool counts_ = false;
  /// A limit was reached, and from then on nothing is watched. Synchronisation is not followed any more, so nothing may
  /// be reported after it.
  std::atomic<bool> off_{false};
  u64 memory_limit_ = 0;
  /// Local times of a slot, which threads use one after the other, have 32 bits. What other threads do to a slot's
  /// clock between two looks at it is far less than what is left beyond the limit.
  static constexpr Time kMostEpochs = ~Time{0} - (Time{1} << 20);
  Time most_epochs_ = kMostEpochs;
  Slot most_threads_ = kMostSlots;
  u32 log_entries_ = 1U << 15;
  Counts ended_counts_;  ///< of threads that have ended; guarded by `threads_lock_`
  u64 threads_seen_ = 0;
};

extern Detector detector;

}  // namespace omen::rt::detect
