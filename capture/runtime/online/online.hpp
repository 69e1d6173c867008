/// \file
/// Watching the program while it runs: each access meets the shadow of its memory, each synchronisation the analysis.
///
/// An access costs a look at one word where the thread has made it before in this epoch (the same-epoch cases). Next
/// come cells whose earlier accesses are *settled*: known to the thread with all their sections; the cell is updated
/// under its lock, and nobody else is asked. Only the rest goes to the analysis (engine.hpp).
#pragma once

#include "capture/runtime/online/engine.hpp"
#include "capture/runtime/online/line_settling.hpp"
#include "capture/runtime/online/online_log.hpp"
#include "capture/runtime/online/repeated_access.hpp"
#include "capture/runtime/online/shadow_map.hpp"
#include "capture/runtime/online/split_cells.hpp"
#include "capture/runtime/online/sync_objects.hpp"
#include "capture/runtime/raw_layout.hpp"
#include "capture/runtime/thread_state.hpp"

namespace omen::rt::online {

/// The state of a cell's bytes, taken out of it.
struct ByteStates {
  u64 write[kCellBytes];  ///< words without bytes
  u64 read[kCellBytes];
  u32 ancillary[kCellBytes];
  u64 list_locks;  ///< as a split cell has them
  Residue residue;

  u64 same_as(u32 byte) const {
    u64 same = 0;
    for (u32 b = 0; b < kCellBytes; ++b) {
      same |= u64{write[b] == write[byte] && read[b] == read[byte] && ancillary[b] == ancillary[byte]} << b;
    }
    return same;
  }
  bool is_empty() const {
    bool any = false;
    for (u32 b = 0; b < kCellBytes; ++b) any |= (write[b] | read[b] | ancillary[b]) != 0;
    return !any;
  }
  bool has_vector() const {
    bool any = false;
    for (const u64 word : read) any |= (word & kVectorBit) != 0;
    return any;
  }
  bool names(u64 vector) const {
    bool any = false;
    for (u32 b = 0; b < kCellBytes; ++b) any |= read[b] == vector;
    return any;
  }
};

/// The owned and exclusive cases.
inline Rule rule_of(bool write, bool own) {
  if (write) return own ? Rule::WriteOwned : Rule::WriteExclusive;
  return own ? Rule::ReadOwned : Rule::ReadExclusive;
}

/// What somebody else is to do, when it is known that it is needed. It lasts as long as the call that it is given to.
class Action {
 public:
  template <class What>
  Action(const What& what)  // NOLINT: what is done converts
      : what_(&what), call_([](const void* action) { (*static_cast<const What*>(action))(); }) {}
  void operator()() const { call_(what_); }

 private:
  const void* what_;
  void (*call_)(const void*);
};

class Online {
 public:
  /// `setting` is ANALYSIS:FOLDER. False: the program is not watched.
  bool start(const char* setting);
  bool on() const { return engine_ != nullptr; }
  /// Or it follows happens-before, which orders all sections of a lock.
  bool predicts() const { return on() && !is_happens_before_; }
  void start_again_in_child(ThreadState* thread);
  /// The last words: counters.
  void finish();
  OnlineLog& log() { return log_; }

  /// Of a thread that is watched. A write that also reads needs no case of its own: it is ordered after, or races with,
  /// whatever the read would.
  void access(ThreadState* thread, uptr address, u32 bytes, bool write, uptr pc);
  /// In one line, in cells that are open.
  void access_in_cells(ThreadState* thread, uptr address, u32 bytes, bool write, uptr pc);
  /// Accesses of any length.
  void access_slowly(ThreadState* thread, uptr address, u64 bytes, Did what, uptr pc);

  /// An atomic access, as an access: it races with plain ones.
  void access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);

  /// The same of one that reads, writes and orders nothing, if that is all that is to be done of it before it happens;
  /// and what is to be done afterwards: a fence may yet order what was released to the atomic.
  bool access_relaxed(ThreadState* thread, uptr address, u64 bytes, uptr pc) {
    if (!is_happens_before_ || thread->online == nullptr || thread->online->has_fenced) return false;
    return access_atomically_beside(thread, address, bytes, true, pc);
  }
  void after_relaxed(ThreadState* thread, uptr address) {
    ++thread->online->synchronisations;
    if (objects_->may_have(address, address + 1)) rmw(thread, address, MemoryOrder::Relaxed);
  }

  /// Taking a lock reads it: locks are memory too, which making and destroying them writes.
  void read_lock(ThreadState* thread, uptr address, uptr pc);

  void synchronise(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  /// A section on `lock` begins, and others have reached state behind it that nobody sees.
  void read_hidden_state(ThreadState* thread, uptr lock);
  void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

  /// A race of the access that `thread` is doing, with an earlier one.
  void report(OnlineThread& state, Epoch earlier, bool earlier_wrote);
  bool is_hazard(ReadVectors::Number number) const;
  u64 begin_of_epoch(Epoch epoch) const;
  u32 slots_in_use() const { return slot_count_.load(std::memory_order_relaxed); }

  /// Is what stands side by side near the address used apart?
  bool is_used_apart(uptr address) const { return lines_.is_mixed(address); }
  static void log_replaced_line(OnlineThread& state, uptr base, const LineWord& word, u64 wanted, bool write);

 private:
  void make_analysis();
  bool make_tables();

  /// The same-epoch cases of one cell.
  static OMEN_INLINE bool is_same_epoch(const ThreadState* thread, const Cell& cell, uptr address, u64 wanted,
                                        bool write) {
    const u64 now = thread->cell_now;
    return is_in_words(now, cell, wanted, write) || (!write && is_shared_now(now, cell, address, wanted));
  }
  /// Is the thread among the readers of these bytes at its epoch? A vector may have been given away meanwhile: then the
  /// cell says so.
  static OMEN_INLINE bool is_shared_now(u64 now, const Cell& cell, uptr address, u64 wanted) {
    const u64 write_word = cell.write.load(std::memory_order_relaxed);
    const u64 read_word = cell.read.load(std::memory_order_acquire);
    if ((read_word & kPlanesBit) != 0) {
      return ReadPlanes::has(read_planes.plane(slot_in(now)), address, now, wanted);
    }
    if ((read_word & kVectorBit) == 0 || (write_word & (kLockBit | kSplitBit)) != 0) return false;
    const ReadSlot* const mine = read_vectors.find(time_in(read_word), slot_in(now));
    return mine != nullptr && mine->has(time_in(now), wanted) && cell.read.load(std::memory_order_acquire) == read_word;
  }
  /// The first access of its kind in the epoch, as far as the words of the cell tell.
  void access_anew(ThreadState* thread, Cell* cell, uptr address, u64 wanted, bool write, uptr pc);
  /// The same of two cells side by side.
  void access_pair_anew(ThreadState* thread, Cell* cell, uptr address, u64 first, u64 second, bool write, uptr pc);
  template <class Log>
  bool access_whole(const OnlineThread& state, Cell& cell, bool write, Log log);
  template <bool write, class Log>
  uptr access_cells(ThreadState* thread, OnlineThread& state, uptr base, uptr begin, uptr end, uptr pc, bool& logged,
                    Log log);
  template <class Log>
  bool access_settled(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write, Log log);

  // Lines.
  template <class Log>
  bool access_line(OnlineThread& state, Line& line, uptr base, u64 wanted, bool write, Log log);
  bool access_in_line(ThreadState* thread, Line& line, uptr address, u32 bytes, bool write, uptr pc);
  template <bool write, class Log>
  bool access_line_quickly(ThreadState* thread, Line& line, uptr base, u64 wanted, Log log);
  template <bool write, class Log>
  uptr access_lines(ThreadState* thread, uptr begin, uptr end, Log log);
  void access_cells_slowly(ThreadState* thread, OnlineThread& state, uptr begin, uptr end);
  bool read_line_together(OnlineThread& state, Line& line, uptr base, const LineWord& written, const LineWord& read,
                          u64 wanted, Action log);
  bool write_line_together(OnlineThread& state, Line& line, uptr base, const LineWord& written, const LineWord& read,
                           u64 wanted, Action log);
  u64 open_line_planes(u64 readers, uptr base, u32 cell);
  static bool clear_line_planes(u64 readers, uptr base, u64 bytes);
  void access_opened(ThreadState* thread, OnlineThread& state, uptr base, u64 wanted);
  void open_locked_line(Line& line, uptr base, u64 bytes);
  void open_line(Line& line, uptr base, u64 bytes);
  Cell* open_cell(uptr address);
  void clear_line(const OnlineThread& state, Line& line, u64 bytes, uptr base);
  void clear_opened(Line& line, u64 bytes, uptr base);
  void clear_lines(const OnlineThread& state, uptr begin, uptr end);
  void clear_leaves(const OnlineThread& state, uptr begin, uptr end);
  void clear_memory(const OnlineThread& state, uptr begin, uptr end);
  void write_first_byte(ThreadState* thread, uptr address, uptr pc);

  // Cells.
  void access_cell(ThreadState* thread, Cell& cell, uptr base, u64 wanted);
  template <class Log>
  bool access_together(OnlineThread& state, Cell& cell, uptr base, u64 wanted, Log log);
  bool read_together(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 read_word, u64 wanted);
  bool has_read_together(const OnlineThread& state, const Cell& cell, uptr base, u64 wanted) const;
  bool read_plane(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 read_word, u64 wanted);
  bool read_after_ordered(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted);
  static u64 share_after_ordered(const OnlineThread& state, uptr base, u64 write_word, u64 read_word, u64 wanted);
  bool share_in_planes(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted);
  bool settle_planes(OnlineThread& state, uptr base, u64& write_word, u64& read_word, u64 wanted);
  bool write_keeping(OnlineThread& state, uptr base, u64& write_word, u64& read_word, u64 wanted);
  u64 planes_to_vector(Cell& cell, uptr base, u64 read_word, Residue& residue);
  u64 vector_to_planes(ReadVectors::Number vector, uptr base, u64 keepers);
  u64 clear_planes(uptr base, u64 read_word, u64 bytes);
  /// `place` is where the vector's word stands, `write_word` what the cell's write word was when it was read.
  bool read_shared(OnlineThread& state, const Cell& cell, u64 write_word, const std::atomic<u64>& place, u64 word,
                   u64 wanted);
  bool settle_split(OnlineThread& state, Cell& cell, uptr base, u64 seen, u64 wanted, bool write, Action log);
  bool settle_view(OnlineThread& state, SplitCell& view, u64 wanted, bool write);
  void learn_from(OnlineThread& state, u64 word);
  bool learn_from(OnlineThread& state, const SplitCell& view, u64 wanted, bool write);
  bool settle_group(OnlineThread& state, ByteStates& states, u64 last, u64 group, bool write);
  bool settle_or_learn(OnlineThread& state, SplitCell& view, u64 wanted, bool write);
  void unsplit(OnlineThread& state, uptr base, u64 seen, u64& write_word, u64& read_word);
  bool settle_aside(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write);
  void count(OnlineThread& state, Rule rule) const {
    if (OMEN_UNLIKELY(stats_)) state.counters.count(rule);
  }
  bool is_split_now(const OnlineThread& state, const Cell& cell, u64 word, u64 wanted, bool write);
  void access_generally(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted, bool write);
  /// True: a bound had to become an epoch.
  bool access_view(OnlineThread& state, ByteStates& states, uptr base, u64 wanted, bool write);
  bool is_own_view_now(OnlineThread& state, const Cell& cell, u64 wanted, bool write);
  void access_own_view(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write);
  bool access_atomically_beside(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  bool access_beside(ThreadState* thread, OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write);
  bool put_beside(OnlineThread& state, u32 number, uptr base, u64 wanted, bool write);
  static u64 newly_written(const OnlineThread& state, const SplitCell& plain, u64 wanted, bool write);
  static bool are_atomics_settled(const OnlineThread& state, const SplitCell& plain, uptr base, u64 wanted, u64 loaded);
  void meet_atomics(OnlineThread& state, SplitCell& plain, uptr base, u64 wanted, u64 loaded, bool write);
  void drop_in_own_view(OnlineThread& state, u32 plain, u64 bytes, bool write);
  static void drop_own_atomics(const OnlineThread& state, const SplitCell& plain, uptr base, u64 bytes, bool write);
  static void drop_atomics(SplitCell& plain, uptr base, u64 bytes);
  void clear_cell(Cell& cell, u64 bytes, uptr base);
  void clear_states(ByteStates& states, u64 bytes);
  ByteStates load_split(u32 number);
  void store_split(u32 number, const ByteStates& states);
  static ByteStates load_words(u64 write_word, u64 read_word);
  /// Of a cell that is not split, and locked. If its reads are in planes, they are in a vector then.
  ByteStates load_whole(Cell& cell, uptr base, u64 write_word, u64& read_word);
  /// False: the states do not fit into two words. `by`: a thread for which what it has settled may become a bound.
  bool fit(ByteStates& states, uptr base, OnlineThread* by, u64& write_word, u64& read_word);
  bool unite_vectors(ByteStates& states);
  bool share_reads(ByteStates& states);
  /// Bounds that the thread has not settled become epochs again, where the access has to know.
  /// Was there such a one?
  bool resolve(OnlineThread& state, ByteStates& states, uptr base, u64 wanted, bool write);
  bool resolve_readers(OnlineThread& state, ByteStates& states, uptr base, u64 wanted);
  u64 find_older(OnlineThread& state, u64 word, uptr address, bool write) const;
  void assume_ordered(OnlineThread& state, u32 slot);
  void split_vectors(ByteStates& states);
  /// Bytes that nobody has read have no vector; vectors that no byte has any more are given back.
  void drop_vectors(const ByteStates& before, ByteStates& states);
  void give_back_vectors(const ByteStates& named, const ByteStates& states, const ByteStates* done = nullptr);
  u32 new_view(const ByteStates& states, u32 owner, u32 first, u32 next);
  u32 own_view_of(OnlineThread& state, u32 first);
  /// Where states that do not fit into two words go: the write word that names it.
  u64 put_aside(const ByteStates& states, bool stays);
  void count_names(uptr base, u64 write_before, u64 read_before, u64 write_after, u64 read_after);
  OMEN_INLINE void note_access(ThreadState* thread, OnlineThread& state) {
    if (!state.doing.noted) note_first(thread, state);
  }
  void note_first(ThreadState* thread, OnlineThread& state);
  static void log_range(OnlineThread& state, uptr address, u64 bytes, Did what, Place where);
  void log_access(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);

  // Synchronisation. These take the analysis lock:
  /// `what(number)` is done to the object; what the thread has learned by it, or its new epoch, is made known, unless
  /// it returns false. Among others if the analysis allows it, there is such an object, and `may(object)`; else alone.
  /// If the object is not known it is made, or else nothing is done. Nothing is done either if `knows(object)`, which
  /// is asked without the object's guard.
  template <class What, class May, class Knows>
  void step(ThreadState* thread, uptr address, bool makes, What what, May may, Knows knows);
  // Atomics. As long as nobody has released anything to one, or accessed it in a section, there is nothing to remember
  // of it.
  void load(ThreadState* thread, uptr address, MemoryOrder order);
  void store(ThreadState* thread, uptr address, MemoryOrder order);
  void rmw(ThreadState* thread, uptr address, MemoryOrder order);
  void reach_hidden_state(ThreadState* thread, uptr address);
  // … and these are under it.
  /// The object is made if it is not known: alone.
  SyncObjects::Number number_of(uptr address);
  /// These say whether the thread's epoch or what it knows may have changed.
  bool lock_step(OnlineThread& state, raw::RawOp op, SyncObjects::Number number);
  bool acquire(OnlineThread& state, SyncObjects::Number number, bool shared, u32 depth);
  u32 release(OnlineThread& state, SyncObjects::Number number, bool wholly);
  void make_irregular(OnlineThread& state, SyncObjects::Number number);
  void learn_unpublished(OnlineThread& state, u32 slot);
  void refused(ThreadState* thread, uptr address);
  /// Does the thread know all that was known at this release? With happens-before that is so if it knows the release.
  bool knows_all_of(const OnlineThread& state, u64 release) const {
    return release != 0 && epochs_tell_all_ && state.is_settled(release);
  }
  void stop_at_most_threads();
  void fork(OnlineThread& state, u32 child);
  void join(OnlineThread& state, u32 child);
  void attach(ThreadState* thread);
  void end(ThreadState* thread);
  u32 take_slot(const OnlineThread* parent);
  void refresh(ThreadState* thread);
  bool is_alone(const OnlineThread& state) const;
  void note_lock(OnlineThread& state, raw::RawOp op, uptr address, Place where, u32 time);

  // Reports.
  struct Found {
    Place where{};
    uptr address = 0;
    u32 bytes = 0;
    Did what = Did::Nothing;
    u64 position = 0;
    bool is_atomic_too = false;  ///< there was an atomic access, and the one at hand is atomic
  };
  Found find_earlier(Epoch earlier, bool wrote, const Doing& now) const;
  void report_lock(const char* when, const HeldLock& lock);
  void report_locks_of(Epoch earlier, const Found& found);
  void report_block(uptr address);
  void report_no_more();
  /// Whatever makes the process grow comes by here.
  OMEN_INLINE void look_at_memory(OnlineThread& state) {
    if (OMEN_UNLIKELY(++state.looks % kLooksBetweenChecks == 0)) check_memory_limit();
  }
  static constexpr u32 kLooksBetweenChecks = 1U << 14;
  void check_memory_limit();
  /// Local times of a slot, which threads use one after the other, have 32 bits. What other threads do to a slot's
  /// clock between two looks at it is far less than what is left beyond the limit.
  static constexpr Time kMostEpochs = ~Time{0} - (Time{1} << 20);
  /// From now on nothing is watched, because of what `say` writes.
  template <class Say>
  void stop_watching(Say say) {
    if (off_.exchange(true)) return;
    log_.begin();
    log_ << "incomplete ";
    say();
    log_ << ": accesses are not watched from here on\n";
    log_.end();
  }

  Engine* engine_ = nullptr;
  bool is_happens_before_ = false;  ///< there are no sections, and each thread touches its own clock only
  LineMap lines_;
  /// Lines tell; not on processors that do not read and write their words whole.
  bool lines_are_used_ = true;
  ShadowMap shadow_;
  SplitCells splits_;
  OnlineLog log_;
  SyncObjects* objects_ = nullptr;  ///< under the analysis lock, as are the rest
  ThreadSlot* slots_ = nullptr;
  std::atomic<u32> slot_count_{0};  ///< read without the lock too
  /// Who knows an epoch knows all that its thread knew when the epoch ended: each was published once, at its end, and
  /// the analysis is happens-before. Cleared by who is alone.
  bool epochs_tell_all_ = false;
  u32 running_ = 0;
  u32 ended_ = 0;  ///< and not joined
  struct Known {
    u32 id;
    u32 slot;
  };
  Vector<Known>* known_threads_ = nullptr;  ///< that run, or have not been joined
  bool stats_ = false;
  /// A limit was reached, and from then on nothing is watched. Synchronisation is not followed any more, so nothing may
  /// be reported after it.
  std::atomic<bool> off_{false};
  u64 memory_limit_ = 0;
  Time most_epochs_ = kMostEpochs;
  u32 log_entries_ = 1U << 15;
  u64 older_found_ = 0;  ///< bounds that became epochs again
  u64 older_lost_ = 0;   ///< and those whose log was too short
  u64 accesses_ = 0;     ///< of threads that have ended, as the next
  u64 synchronisations_ = 0;
  u64 threads_seen_ = 0;
  RuleCounters settled_counters_;
};

extern Online online;

}  // namespace omen::rt::online
