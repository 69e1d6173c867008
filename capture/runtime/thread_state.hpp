/// \file
/// What the runtime knows of a thread. Only the thread itself touches it, except where a field says otherwise.
#pragma once

#include "capture/runtime/call_stack.hpp"
#include "capture/runtime/foreign/held_sections.hpp"
#include "capture/runtime/line_table.hpp"
#include "capture/runtime/platform.hpp"
#include "capture/runtime/raw_layout.hpp"
#include "capture/runtime/repeated_rounds.hpp"
#include "capture/runtime/stack_table.hpp"
#include "trace/operation.hpp"

namespace omen::rt {

namespace online {
struct OnlineThread;
}

/// Remembers the latest nodes, so that most events need no look into the shared table.
class NodeCache {
 public:
  static constexpr u32 kBits = 12;
  static constexpr std::size_t kEntries = std::size_t{1} << kBits;

  u32* find(u32 parent, uptr pc) {
    Entry& entry = at(parent, pc);
    return entry.pc == pc && entry.parent == parent ? &entry.node : nullptr;
  }
  void add(u32 parent, uptr pc, u32 node) { at(parent, pc) = {pc, parent, node}; }
  void clear() {
    for (Entry& entry : entries_) entry = {};
  }

 private:
  struct Entry {
    uptr pc;
    u32 parent;
    u32 node;
  };
  Entry& at(u32 parent, uptr pc) { return entries_[place_of_node(parent, pc, kBits)]; }
  Entry entries_[kEntries] = {};
};

/// What the short accesses of the chunk that is being written refer to: what the records before them have defined.
class ShortContext {
 public:
  static constexpr u32 kNone = ~u32{0};

  u32 frame = 0;  ///< the node of the function they are in

  /// Nothing is defined in a new chunk.
  void clear() {
    for (u32& base : bases_) base = kNone;
    for (u32& window : windows_) window = kNone;
    frame = 0;
  }

  static u32 upper_address(uptr address) { return static_cast<u32>(address >> 32); }
  static u32 upper_pc(uptr pc) { return static_cast<u32>(pc >> raw::ShortAccess::kWindowBits); }

  OMEN_INLINE u32 base_of(uptr address) {
    const u32 upper = upper_address(address);
    const u32 likely = likely_[upper % kLikely];
    return OMEN_LIKELY(bases_[likely] == upper) ? likely : search(upper);
  }
  /// In place of the one that was defined first.
  u32 define_base(uptr address) {
    const u32 upper = upper_address(address);
    const u32 base = next_++ % raw::ShortAccess::kBases;
    bases_[base] = upper;
    likely_[upper % kLikely] = static_cast<u8>(base);
    return base;
  }

  OMEN_INLINE u32 window_of(uptr pc) const {
    const u32 upper = upper_pc(pc);
    return OMEN_LIKELY(windows_[0] == upper) ? 0 : windows_[1] == upper ? 1 : kNone;
  }
  bool has_free_window() const { return windows_[1] == kNone; }
  u32 define_window(uptr pc) {
    const u32 window = windows_[0] == kNone ? 0 : 1;
    windows_[window] = upper_pc(pc);
    return window;
  }

 private:
  OMEN_NOINLINE u32 search(u32 upper) {
    for (u32 base = 0; base < raw::ShortAccess::kBases; ++base) {
      if (bases_[base] == upper) {
        likely_[upper % kLikely] = static_cast<u8>(base);
        return base;
      }
    }
    return kNone;
  }

  static constexpr u32 kLikely = 64;
  u32 windows_[raw::ShortAccess::kWindows] = {};
  u32 bases_[raw::ShortAccess::kBases] = {};
  u32 next_ = 0;
  u8 likely_[kLikely] = {};
};

inline constexpr u32 kSignals = 65;

/// A signal that came while the runtime was at work; it is handed to the program when that is done.
struct PendingSignals {
  std::atomic<u32> any{0};
  std::atomic<u32> raised[kSignals] = {};    ///< the process that got it; 0: none. A forked child is another
  alignas(8) char info[kSignals][128] = {};  ///< the siginfo of the latest of each
};

struct ThreadState {
  u32 id = 0;    ///< the number in the trace, from 0
  u32 busy = 0;  ///< how deep inside the runtime: signals wait, and what the runtime itself does is not recorded
  u32 ignore_access = 0;  ///< the program asked not to see its accesses (annotations)
  u32 ignore_sync = 0;
  uptr library_frame = 0;  ///< the thread is inside the C library below it; 0: nowhere (interceptors/c_library.hpp)
  u32 system_id = 0;       ///< as the kernel numbers it, and mutexes their holders
  u32 look_closer = 0;     ///< not 0: more is to be done for an access than to look at cells (online/first_access.hpp)
  u64 number = 0;          ///< the thread's place in the order: see raw_layout.hpp
  u64 logged_number = 0;   ///< of the last record written
  u64 epoch = 0;           ///< counts what makes earlier accesses count no more: synchronisations, large new memory
  u64 owner = 0;           ///< the thread in the table of lines: id + 1

  // What an access looks at first when the program is watched while it runs (online/).
  enum class Watch : u8 {
    No,     ///< accesses are recorded
    Yes,    ///< accesses are watched
    Alone,  ///< as yes, but no other thread is there, and all that were have been joined: nothing can race
  };
  Watch watch = Watch::No;
  static constexpr u64 kNever = ~u64{0};
  u64 cell_now = kNever;  ///< the thread's epoch as a cell has it; kNever: as no cell has it, so look closer
  /// Where the thread's own shared reads are, by cells and by lines (online/read_planes.hpp, line_planes.hpp); null:
  /// not known yet.
  uptr* planes = nullptr;
  uptr* line_planes = nullptr;
  online::OnlineThread* online = nullptr;

  u64* next = nullptr;  ///< where the next record goes
  u64* end = nullptr;
  raw::ChunkHeader* chunk = nullptr;
  /// The latest access of a place and stack: a loop over memory makes one long record. Valid while the thread has the
  /// same number.
  struct Run {
    uptr pc;
    u32 frame;
    u32 op;
    u64 number;
    uptr begin;
    uptr end;
    raw::Record* record;  ///< null: a short access
    u64 reads;            ///< what `reads_since` counted when it was written
  };
  /// Records of reads: all, and those that continue no other one.
  u64 read_records = 0;
  u64 fresh_read_records = 0;
  u64 reads_since(bool write) const { return write ? read_records : fresh_read_records; }
  static constexpr std::size_t kRuns = 16;
  Run runs[kRuns] = {};
  Run& run_of(uptr pc, u32 frame) { return runs[((pc >> 2) ^ frame) % kRuns]; }
  ShortContext shorts;
  RepeatedRounds rounds;

  /// The latest attempt that found its object taken. A loop that tries again and again does nothing new.
  struct Refusal {
    uptr object;
    u64 syncs;
    const u64* next;
  };
  Refusal refusal = {};

  CallStack stack;
  HeldSections sections;
  PendingSignals signals;
  u32 in_handler = 0;

  // From the creator to the new thread.
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  u32 end_rounds = 0;  ///< how often the end-of-thread hook was called
  bool fiber = false;

  // The load that was recorded last, for loops that wait (abi_atomics.cpp): where, of what, which store it read, and
  // how many synchronisations the thread had recorded by then.
  uptr spin_address = 0;
  uptr spin_pc = 0;
  u64 spin_version = 0;
  u64 spin_syncs = 0;
  u64 syncs = 0;

  /// Where the program is watched and not recorded: atomic loads, by address. A load of the same store teaches nothing
  /// that the earlier one has not. `version` is that of the address's stripe.
  struct LoadedAtomic {
    uptr address;
    u64 version;
    MemoryOrder order;
  };
  static constexpr std::size_t kLoadedAtomics = 128;
  LoadedAtomic loaded_atomics[kLoadedAtomics] = {};
  LoadedAtomic& loaded_atomic(uptr address) { return loaded_atomics[(address >> 3) % kLoadedAtomics]; }

  /// Freed blocks that the C library does not get back yet: a late write into one must not damage its lists.
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kKeptBytes = 1024;  ///< larger blocks are not kept
  void* kept[kKept] = {};
  u32 kept_next = 0;

  NodeCache nodes;
  SharedLines shared_lines;
};

/// Null where nothing is recorded: before the start, after the end, in threads that the runtime did not see begin.
extern __thread ThreadState* current_thread __attribute__((tls_model("initial-exec")));
/// Its `cell_now`, which is all that most accesses look at, and its planes.
extern __thread u64 current_cell_now asm("__omen_now")
    __attribute__((tls_model("initial-exec"), visibility("default")));
/// Its call stack, or one of nobody.
extern __thread StackTop* current_stack asm("__omen_stack")
    __attribute__((tls_model("initial-exec"), visibility("default")));
extern StackTop nobodys_stack;
extern __thread uptr* current_planes __attribute__((tls_model("initial-exec")));
extern __thread uptr* current_line_planes __attribute__((tls_model("initial-exec")));

/// How many of its sections are transparent: what `__omen_leave` looks at.
extern __thread u32 current_transparent asm("__omen_transparent")
    __attribute__((tls_model("initial-exec"), visibility("default")));

/// From here on the machine's thread runs this one, or none.
inline void set_current_thread(ThreadState* thread) {
  current_thread = thread;
  current_stack = thread == nullptr ? &nobodys_stack : &thread->stack;
  current_cell_now = thread == nullptr ? ThreadState::kNever : thread->cell_now;
  current_planes = thread == nullptr ? nullptr : thread->planes;
  current_line_planes = thread == nullptr ? nullptr : thread->line_planes;
  current_transparent = thread == nullptr ? 0 : thread->sections.transparent();
}
inline void set_planes(ThreadState* thread, uptr* planes, uptr* line_planes) {
  thread->planes = planes;
  thread->line_planes = line_planes;
  if (thread == current_thread) set_current_thread(thread);
}
inline void set_cell_now(ThreadState* thread, u64 now) {
  thread->cell_now = now;
  if (thread == current_thread) current_cell_now = now;
}

void free_kept_blocks(ThreadState* thread);         // interceptors/heap.cpp
void deliver_pending_signals(ThreadState* thread);  // interceptors/signals.cpp

/// While it lives the thread is inside the runtime.
class Busy {
 public:
  explicit Busy(ThreadState* thread) : thread_(thread) {
    ++thread_->busy;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Busy() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (--thread_->busy == 0 && OMEN_UNLIKELY(thread_->signals.any.load(std::memory_order_relaxed) != 0)) {
      deliver_pending_signals(thread_);
    }
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  ThreadState* thread_;
};

/// The current thread if something is to be recorded now, else null.
OMEN_INLINE ThreadState* recording_thread() {
  ThreadState* const thread = current_thread;
  return thread != nullptr && thread->busy == 0 ? thread : nullptr;
}

}  // namespace omen::rt
