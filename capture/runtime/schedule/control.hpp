/// \file
/// The scheduler's state, shared by its files.
///
/// `turn` is the next step of all. A thread that waits sleeps on a word of its own, and looks again after a while: so
/// no wait is without an end, and each waiting thread takes part in noticing that nobody comes (stall.cpp).
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/schedule/places.hpp"
#include "capture/runtime/schedule/plan.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::schedule {

/// A thread of the plan.
struct Controlled {
  Route route;  ///< only the thread itself moves on
  u32 number;
  u32 forks;  ///< threads that it created so far
  std::atomic<u32> word;
  std::atomic<u32> system_id;  ///< 0: it has not begun
  std::atomic<u32> begun;      ///< ahead of the turn of its first step; see `begins_are_free`
  std::atomic<uptr> stack_end;
  std::atomic<bool> stands;  ///< in front of its next step
  // Of the thread whose turn it is: see repetitions.cpp.
  u32 looked_at;  ///< `route.at`, as the next
  u32 given_up_at;
  u64 looked_cpu;

  bool acts;        ///< it is making its racing access: see `after_access`
  bool skips_pass;  ///< the racing access is a point, whose pass is still to come
};

enum class State : u32 {
  Running,
  Reached,  ///< both threads stand at their accesses
  Over,
};

/// Where one of the two accesses was, or is about to be, made.
struct Arrival {
  static constexpr u32 kFrames = 64;
  bool is_there;
  u32 thread;
  u32 system_id;
  uptr address;
  u64 bytes;
  bool write;
  u32 frames;
  uptr stack[kFrames];  ///< return addresses, innermost first
};

class Control {
 public:
  Plan plan;
  Places places;
  Controlled* threads = nullptr;
  std::atomic<u32> turn{0};
  std::atomic<State> state{State::Running};
  /// Threads begin without waiting for their turn. Code without instrumentation may wait, where nobody sees it, for a
  /// thread that it has created to begin; so a witness can have the thread begin after what comes behind that wait.
  std::atomic<bool> begins_are_free{false};

  // The two accesses.
  SpinLock lock;  ///< guards the next two
  Arrival arrivals[2];
  uptr shared_begin = 0;  ///< memory that both access
  u64 shared_bytes = 0;
  std::atomic<u32> phase{0};      ///< 1: the first may be made; 2: it was, the second may be; 3: so it was
  std::atomic<bool> made[2];      ///< somebody tells of the access, and then moves `phase`
  std::atomic<uptr> blocks[2];    ///< heap blocks that the targets are in; 0: not allocated yet
  std::atomic<u32> allocated[2];  ///< how many blocks of the block's place were allocated by its thread
  std::atomic<u32> look_lock{0};  ///< somebody looks for a stall
  u64 progress_time = 0;          ///< guarded by `look_lock`, as the next
  u32 progress_seen = 0;

  bool is_over() const { return state.load(std::memory_order_acquire) == State::Over; }
  static void wake(Controlled& thread) {
    thread.word.fetch_add(1, std::memory_order_release);
    wake_one(thread.word);
  }
  void wake_all() {
    for (u32 i = 0; i < plan.thread_count; ++i) wake(threads[i]);
  }
  /// True: this call ended it.
  bool end() {
    State was = state.load(std::memory_order_relaxed);
    while (was != State::Over) {
      if (state.compare_exchange_weak(was, State::Over, std::memory_order_acq_rel)) {
        wake_all();
        return true;
      }
    }
    return false;
  }

  /// Until `done`. False: control is over.
  template <class Done>
  bool await(Controlled& thread, Done done) {
    constexpr u64 kNap = 50'000'000;
    for (;;) {
      const u32 seen = thread.word.load(std::memory_order_acquire);
      if (is_over()) return false;
      if (done()) return true;
      await_change_for(thread.word, seen, kNap);
      look_for_stall();
    }
  }
  void look_for_stall();
};

extern Control control;

/// Of a deadlock (deadlock_stop.cpp). Is the thread one of it?
bool waits_in_deadlock(const Controlled& at);
/// Holds the thread at its request until all have come to theirs; then they go on, into the deadlock. False: this is
/// not its request.
bool arrive_at_request(const ThreadState* thread, Controlled& at, uptr pc);
/// A thread that has not come to its request.
u32 missing_in_deadlock();
u32 arrived_in_deadlock();

/// Of repetitions.cpp. The step is a store, or may be one.
bool changes_atomic(PointKind kind);
/// The thread's turn is a store. Another thread may still be in a loop that loads, which the order has it leave first.
bool others_repeat_loads(const Controlled& self);

/// The run has left the order: `what` is done at `pc` by the thread, which had another step before it.
void diverge_at(const ThreadState* thread, const Controlled& at, PointKind what, uptr pc);
/// Nobody makes the next step.
void diverge_stalled(const char* reason, u32 owner);

/// Holds the thread at its racing access if it is one of the two. False: it is not, or touches other memory.
bool arrive(ThreadState* thread, Controlled& at, uptr address, u64 bytes, bool write, uptr pc);
/// Of an access that is not held.
void note_passing(ThreadState* thread, Controlled& at, u32 side, uptr address, u64 bytes, bool write, uptr pc);
/// The thread is at its next call of the runtime: a racing access that it was let go for has been made.
void after_access(Controlled& at);

u64 monotonic_time();
/// Return addresses of the thread's calls, innermost first.
u32 stack_of(const ThreadState* thread, uptr pc, uptr* places, u32 room);

}  // namespace omen::rt::schedule
