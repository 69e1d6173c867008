/// \file
/// The runtime's state of a thread. Only the thread itself accesses it, except where a field says otherwise.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/records/line_table.hpp"
#include "capture/runtime/records/raw_layout.hpp"
#include "capture/runtime/records/repeated_rounds.hpp"
#include "capture/runtime/records/short_context.hpp"
#include "capture/runtime/stacks/call_stack.hpp"
#include "capture/runtime/stacks/node_cache.hpp"
#include "capture/runtime/threads/found_race.hpp"
#include "capture/runtime/threads/held_sections.hpp"
#include "trace/operation.hpp"

namespace omen::rt {

namespace detect {
struct DetectorThread;
}
namespace schedule {
struct Controlled;
}
namespace explore {
struct Thread;
}
struct VerifiedStretch;

inline constexpr u32 kSignals = 65;

/// Signals that arrived inside the runtime; they are delivered to the program when the thread leaves it.
struct PendingSignals {
  std::atomic<u32> any{0};                 ///< set also for races of which the program is to be notified
  std::atomic<u32> raised[kSignals] = {};  ///< the process that received it; 0: none. A forked child is another process
  alignas(8) char info[kSignals][128] = {};  ///< the siginfo of the latest of each
};

struct ThreadState {
  u32 id = 0;             ///< the number in the trace, from 0
  u32 busy = 0;           ///< nesting depth inside the runtime: signals wait, and nothing is recorded
  u32 ignore_access = 0;  ///< the program disabled accesses (annotations)
  u32 ignore_sync = 0;
  uptr library_frame = 0;  ///< the thread is inside the C library below it; 0: nowhere (foreign/c_library.hpp)
  u32 system_id = 0;       ///< the kernel's thread id, which mutexes store as their holder
  u32 look_closer = 0;     ///< not 0: an access needs more than the check of the shadow
  u64 number = 0;          ///< the thread's position in the order: see records/raw_layout.hpp
  u64 logged_number = 0;   ///< of the last record written
  u64 epoch = 0;           ///< counts events that make earlier accesses stale: synchronisations, large new memory
  u64 owner = 0;           ///< the thread in the table of lines: id + 1

  // What an access reads first in online detection (detector/).
  enum class Watch : u8 {
    No,         ///< accesses are recorded
    Yes,        ///< accesses are checked
    Alone,      ///< as yes, but no other thread exists, and all earlier ones were joined: nothing can race
    Scheduled,  ///< an access may have to wait for its turn (schedule/)
  };
  Watch watch = Watch::No;
  static constexpr u64 kNever = ~u64{0};
  u64 cell_now = kNever;  ///< the thread's epoch in the shadow's encoding; kNever: equal to no line's
  /// The thread's own table of reads (detector/thread_reads.hpp); null: none yet.
  uptr* thread_reads = nullptr;
  detect::DetectorThread* detector = nullptr;
  schedule::Controlled* controlled = nullptr;  ///< the thread's part of a replayed schedule; null: none
  explore::Thread* explored = nullptr;         ///< its state in a controlled run; null: it runs freely

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

  /// The latest attempt that found its object taken. A loop that retries adds nothing new.
  struct Refusal {
    uptr object;
    u64 syncs;
    const u64* next;
  };
  Refusal refusal = {};

  CallStack stack;
  HeldSections sections;
  PendingSignals signals;
  FoundRace* found_races = nullptr;  ///< of which the program is to be notified
  FoundRace* told_race = nullptr;    ///< of which it is being notified
  u32 in_handler = 0;

  // From the creator to the new thread.
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  u32 end_rounds = 0;  ///< how often the end-of-thread hook was called
  bool fiber = false;

  // The last recorded load, for loops that wait (dispatch/abi_atomics.cpp): its place and address, the store that it
  // read, and the number of synchronisations that the thread had recorded by then.
  uptr spin_address = 0;
  uptr spin_pc = 0;
  u64 spin_version = 0;
  u64 spin_syncs = 0;
  u64 syncs = 0;
  u64 releases = 0;        ///< of locks and semaphores (interceptors/pauses.hpp)
  u64 begun_sections = 0;  ///< counted only if they matter to atomic loads: see `LoadedAtomic`

  /// For online detection: atomic loads, by address. Another load of the same store adds no order, unless it is in a
  /// critical section that the earlier load was not in: with prediction it is ordered after the conflicting sections on
  /// that lock. `version` is that of the address's stripe, `sections` the number of sections that had begun.
  struct LoadedAtomic {
    uptr address;
    u64 version;
    u64 sections;
    MemoryOrder order;
  };
  static constexpr std::size_t kLoadedAtomics = 128;
  LoadedAtomic loaded_atomics[kLoadedAtomics] = {};
  LoadedAtomic& loaded_atomic(uptr address) { return loaded_atomics[(address >> 3) % kLoadedAtomics]; }

  /// Freed blocks not yet returned to the C library: a late write into one must not damage its lists.
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kKeptBytes = 1024;  ///< larger blocks are not kept
  void* kept[kKept] = {};
  u32 kept_next = 0;

  /// If placed checks are compared with accesses (dispatch/verified_placement.hpp): the number of synchronisations that
  /// order, and of changes of memory, outside of signal handlers.
  u64 barriers = 0;
  VerifiedStretch* verified = nullptr;

  NodeCache nodes;
  SharedLines shared_lines;
};

/// Null if nothing is recorded: before the start, after the end, in threads whose begin the runtime did not see.
extern __thread ThreadState* current_thread __attribute__((tls_model("initial-exec")));
/// Its `cell_now`, which is all that most accesses read, and its table of reads.
extern __thread u64 current_cell_now asm("__omen_now")
    __attribute__((tls_model("initial-exec"), visibility("default")));
/// Its call stack; an empty one if there is no thread.
extern __thread StackTop* current_stack asm("__omen_stack")
    __attribute__((tls_model("initial-exec"), visibility("default")));
extern StackTop nobodys_stack;
extern __thread uptr* current_thread_reads __attribute__((tls_model("initial-exec")));

/// The number of its transparent sections, which `__omen_leave` reads.
extern __thread u32 current_transparent asm("__omen_transparent")
    __attribute__((tls_model("initial-exec"), visibility("default")));

/// From now on the system thread runs this thread, or none.
inline void set_current_thread(ThreadState* thread) {
  current_thread = thread;
  current_stack = thread == nullptr ? &nobodys_stack : &thread->stack;
  current_cell_now = thread == nullptr ? ThreadState::kNever : thread->cell_now;
  current_thread_reads = thread == nullptr ? nullptr : thread->thread_reads;
  current_transparent = thread == nullptr ? 0 : thread->sections.transparent();
}
inline void set_thread_reads(ThreadState* thread, uptr* table) {
  thread->thread_reads = table;
  if (thread == current_thread) current_thread_reads = table;
}
inline void set_cell_now(ThreadState* thread, u64 now) {
  thread->cell_now = now;
  if (thread == current_thread) current_cell_now = now;
}

void free_kept_blocks(ThreadState* thread);         // interceptors/heap.cpp
void deliver_pending_signals(ThreadState* thread);  // interceptors/signals.cpp

/// The thread is inside the runtime while this object exists.
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

/// The current thread if events are to be recorded now, else null.
OMEN_INLINE ThreadState* recording_thread() {
  ThreadState* const thread = current_thread;
  return thread != nullptr && thread->busy == 0 ? thread : nullptr;
}

}  // namespace omen::rt
