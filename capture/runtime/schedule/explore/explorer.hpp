/// \file
/// The scheduler of a controlled run (docs/explore.md): one thread runs at a time, and a strategy decides at each
/// scheduling point which one goes next.
///
/// - A thread that reaches a point is *ready*: it is parked before its next operation until it is chosen.
/// - An operation that would block is never executed. The thread attempts it. If the attempt fails the thread is
///   *blocked* until the object is released or a timeout expires (blocking.cpp), and then attempts it again. So the
///   scheduler knows which threads can run without modelling every object, and objects keep their own semantics.
/// - A thread that holds the token and sleeps in the kernel, or runs for long without a point, is *outside*: the
///   scheduler takes the token from it, and the thread rejoins at its next point (outside.cpp).
/// - Time is virtual: it advances by a microsecond at each point, and jumps to the next timeout when no thread can run.
///
/// Invariant: of the threads that are not outside, only number `running_` executes code of the program. All fields are
/// guarded by `lock_`, except where noted. No thread holds the lock while it executes the program's code.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/schedule/explore/strategy.hpp"
#include "capture/runtime/schedule/kernel_state.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::explore {

enum class Where : u8 { Ready, Running, Blocked, Outside, Ended };

enum class WaitKind : u8 {
  Lock,
  Condition,
  Word,  ///< a futex
  Semaphore,
  Once,
  Barrier,
  Join,
  Time,  ///< sleeps
  Poll,  ///< descriptors; polled again after every effect
  Exit,  ///< the end of the program: the others run as long as they can
};

struct Wait {
  WaitKind kind = WaitKind::Lock;
  uptr object = 0;
  uptr pc = 0;
  u64 deadline = kNever;   ///< virtual time
  bool foreign = false;    ///< another process, or the outside world, may end it
  bool exclusive = false;  ///< of a lock: for writing
  static constexpr u64 kNever = ~u64{0};
};

enum class WaitEnd : u8 {
  Woken,  ///< attempt the operation again; for a condition, barrier or futex: done
  TimedOut,
  Interrupted,  ///< a signal handler has run
  Cancelled,    ///< `pthread_cancel` was called for the thread
  Over,         ///< the run is no longer controlled: execute the call itself
};

struct HeldObject {
  uptr object;
  bool exclusive;
};

struct Thread {
  static constexpr u32 kMostHeld = 32;
  static constexpr u32 kLatest = 16;

  ThreadState* state;
  u32 number;
  u32 id;  ///< in the trace and in reports
  std::atomic<u32> word;
  std::atomic<u32> system_id;  ///< 0: it has not begun
  std::atomic<Where> where;    ///< written under the lock
  Pending pending;
  uptr pc;
  Wait wait;
  WaitEnd wait_end;
  bool retry;  ///< blocked, and attempts once more before a stall is concluded
  bool cancelled;
  bool gone;             ///< it has ended, for the kernel as well
  bool interrupted;      ///< a handler without SA_RESTART has run since the wait began
  bool handler_ran;      ///< any handler has
  bool yields;           ///< it busy-waits, until the next effect
  u64 seen_effects;      ///< `effects_` when it began to do so
  uptr latest[kLatest];  ///< locations of its latest operations that changed nothing
  u32 looks;
  u32 granted_in_row;
  u32 held_count;
  HeldObject held[kMostHeld];
};

struct Configuration {
  char log[1024] = {};
  StrategyKind strategy = StrategyKind::Pos;
  u64 seed = 0;
  u32 depth = 3;
  u64 steps = 1000;                ///< PCT's k
  u64 most_points = 2'000'000;     ///< after which the run continues uncontrolled
  void (*before_end)() = nullptr;  ///< called before a verdict ends the process
};

class Explorer {
 public:
  bool start(const Configuration& configuration);
  bool is_over() const { return over_.load(std::memory_order_acquire); }
  /// Ends control: all threads run freely.
  void release(const char* why);
  /// Called in a forked child.
  void abandon();

  Thread* add_thread(ThreadState* state);
  void drop_thread(Thread& thread);
  void begin(ThreadState* state);
  void end(ThreadState* state);

  void point(ThreadState* state, const Pending& pending, uptr pc);
  WaitEnd block(ThreadState* state, const Wait& wait);
  /// Treats the object as released: all threads that wait for it attempt again.
  void wake(uptr object);
  /// Wakes one waiter of a condition or futex, drawn at random, or all. Returns how many.
  u32 wake_some(uptr object, u32 most);
  u32 count_waiting(uptr object);
  /// Something changed that a busy-waiting thread may wait for.
  void note_effect();
  void hold(ThreadState* state, uptr object, bool exclusive);
  void let_go(ThreadState* state, uptr object);
  void cancel(u32 id);
  void note_handler(ThreadState* state, bool restarts);
  /// This process sent a signal: a blocked thread handles it.
  void interrupt_pending();
  bool is_parked(const ThreadState* state) const;
  bool has_ended(u32 id);
  /// True if threads other than this one have not ended.
  bool has_others(const ThreadState* state);
  bool knows(u32 id);

  u64 virtual_now() const { return now_; }
  void note_clock_read(ThreadState* state, uptr pc);
  void finish(const char* why);
  bool has_outside() const { return outside_.load(std::memory_order_relaxed) != 0; }
  const Configuration& configuration() const { return configuration_; }
  void log_crash(const ThreadState* state, const char* signal, uptr pc);
  void log_text(const char* key, const char* text);

 private:
  static constexpr u32 kNobody = ~u32{0};
  static constexpr u64 kMillisecond = 1'000'000;

  // explorer.cpp
  void arrive(Thread& me, const Pending& pending, uptr pc);
  void park(ThreadState* state, Thread& me);
  void choose_next(u32 self);
  void grant(Thread& thread, u32 self);
  u32 collect(u32* ready, bool all) const;
  void note_point(const Thread& thread);
  bool waits_actively(const Thread& thread) const { return thread.yields && thread.seen_effects == effects_; }
  u64 nap() const;

  // blocking.cpp
  void make_ready(Thread& thread, WaitEnd end);
  void interrupt(Thread& thread);
  bool advance_time();
  bool retry_blocked(u32 self);
  void nobody_can_go(u32 self);
  void draw_spurious_wake();
  void wake_pollers();

  // outside.cpp
  void look(ThreadState* state);
  bool is_holder_outside(const Thread& holder);
  bool is_thread_ending();

  // verdict.cpp
  bool closes_cycle(const Thread& from) const;
  const Thread* holder_of(const Wait& wait, const Thread& waiter) const;
  [[noreturn]] void end_with(const char* kind);
  bool is_wait_for_outside() const;

  Configuration configuration_;
  SpinLock lock_;
  std::atomic<bool> over_{true};
  std::atomic<u32> running_{kNobody};
  std::atomic<u32> outside_{0};
  Strategy strategy_;
  Thread* threads_ = nullptr;
  u32 count_ = 0;
  u64 now_ = 0;  ///< nanoseconds since the start
  u64 points_ = 0;
  u64 hash_ = 0xcbf29ce484222325ULL;
  u64 effects_ = 0;
  u64 idle_grants_ = 0;  ///< since the last effect
  u64 idle_effects_ = 0;
  u64 retried_at_ = ~u64{0};
  u64 drawn_points_ = ~u64{0};  ///< the choice that the next field and the other draws belong to
  bool takes_waiting_ = false;  ///< chooses among busy-waiting threads as well
  u32 spurious_left_ = 0;
  u64 stuck_since_ = 0;    ///< real time; 0: not stuck
  u64 advanced_at_ = 0;    ///< real time
  bool finished_ = false;  ///< the end is in the log

  // Which thread ran at the last look.
  u64 looked_points_ = ~u64{0};
  u64 looked_at_ = 0;
  KernelState looked_state_;
  u32 asleep_ = 0;
};

extern Explorer explorer;

/// While it lives the thread is inside the runtime; signals that are pending at its end stay so.
class Inside {
 public:
  explicit Inside(ThreadState* state);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadState* state_;
};

}  // namespace omen::rt::explore
