/// \file
/// The scheduler's state, shared by its files.
///
/// `turn` is the next step of all threads. A waiting thread sleeps on a word of its own, and looks again after a while.
/// So no wait is endless, and each waiting thread helps to detect a stall (stall.cpp).
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
  Route route;  ///< only the thread itself advances it
  u32 number;
  u32 forks;  ///< the number of threads that it has created
  std::atomic<u32> word;
  std::atomic<u32> system_id;  ///< 0: it has not begun
  std::atomic<u32> begun;      ///< it began before the turn of its first step; see `begins_are_free`
  std::atomic<uptr> stack_end;
  std::atomic<bool> stands;  ///< it is before its next step
  // Used by the thread whose turn it is: see repetitions.cpp.
  u32 looked_at;  ///< `route.at` at the latest look; so is the next
  u32 given_up_at;
  u64 looked_cpu;

  bool acts;        ///< it is executing its racing access: see `after_access`
  bool skips_pass;  ///< the racing access is a point, and `pass` has not been called for it yet
};

enum class State : u32 {
  Running,
  Reached,  ///< both threads are before their accesses
  Over,
};

/// One of the two accesses, and its stack.
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
  /// Threads begin without waiting for their turn. Uninstrumented code may wait, invisibly to the runtime, for a thread
  /// that it has created to begin. A witness can have the thread begin after the events that follow that wait.
  std::atomic<bool> begins_are_free{false};

  // The two accesses.
  SpinLock lock;  ///< guards the next two
  Arrival arrivals[2];
  uptr shared_begin = 0;  ///< memory that both access
  u64 shared_bytes = 0;
  std::atomic<u32> phase{0};      ///< 1: the first access may execute; 2: it did, and the second may; 3: both did
  std::atomic<bool> made[2];      ///< the access was logged by one thread, which then advances `phase`
  std::atomic<uptr> blocks[2];    ///< heap blocks that the targets are in; 0: not allocated yet
  std::atomic<u32> allocated[2];  ///< how many blocks of the block's place were allocated by its thread
  std::atomic<u32> look_lock{0};  ///< a thread looks for a stall
  u64 progress_time = 0;          ///< guarded by `look_lock`; so is the next
  u32 progress_seen = 0;

  bool is_over() const { return state.load(std::memory_order_acquire) == State::Over; }
  static void wake(Controlled& thread) {
    thread.word.fetch_add(1, std::memory_order_release);
    wake_one(thread.word);
  }
  void wake_all() {
    for (u32 i = 0; i < plan.thread_count; ++i) wake(threads[i]);
  }
  /// Ends control. True: this call ended it.
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

  /// Waits until `done`. False: control is over.
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

/// For deadlocks (deadlock_stop.cpp): true if the thread is part of the planned deadlock.
bool waits_in_deadlock(const Controlled& at);
/// Holds the thread at its request until all threads have reached theirs. Then they continue, into the deadlock. False:
/// this is not its request.
bool arrive_at_request(const ThreadState* thread, Controlled& at, uptr pc);
/// A thread that has not reached its request.
u32 missing_in_deadlock();
u32 arrived_in_deadlock();

/// For repetitions.cpp: the step is a store, or may be one.
bool changes_atomic(PointKind kind);
/// The thread's turn is a store, and another thread may still be in a loop of loads that it leaves first in the
/// schedule.
bool others_repeat_loads(const Controlled& self);

/// The run has left the schedule: the thread does `what` at `pc`, and has another next step.
void diverge_at(const ThreadState* thread, const Controlled& at, PointKind what, uptr pc);
/// The next step does not come.
void diverge_stalled(const char* reason, u32 owner);

/// Holds the thread at its racing access if this is one of the two. False: it is not, or touches other memory.
bool arrive(ThreadState* thread, Controlled& at, uptr address, u64 bytes, bool write, uptr pc);
/// Called for a racing access that is not held.
void note_passing(ThreadState* thread, Controlled& at, u32 side, uptr address, u64 bytes, bool write, uptr pc);
/// Called at the thread's next call of the runtime: its released racing access has executed.
void after_access(Controlled& at);

u64 monotonic_time();
/// Return addresses of the thread's calls, innermost first.
u32 stack_of(const ThreadState* thread, uptr pc, uptr* places, u32 room);

}  // namespace omen::rt::schedule
