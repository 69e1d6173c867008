/// \file
/// The verdicts that end a controlled run: a deadlock, a lost wake-up, a livelock. Each is written to the log with what
/// every thread waits for and where, and ends the process.
///
/// A *deadlock* is a cycle of threads in which each waits for a lock that the next one holds, or a state in which no
/// thread can run. It is a *lost wake-up* if one of the threads waits at a condition variable or a futex: no thread is
/// left to wake it.
#include <asm/unistd.h>

#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/schedule/frames.hpp"
#include "capture/runtime/schedule/log.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {
namespace {

constexpr const char* kWaitNames[] = {"lock",    "condition", "futex", "semaphore", "once",
                                      "barrier", "thread",    "time",  "input",     "end"};
constexpr long kVerdictCode = 66;

/// True if an alarm may interrupt a wait.
bool has_timer() {
  u64 timer[4] = {};
  system_call(__NR_getitimer, 0, reinterpret_cast<long>(timer));
  return timer[2] != 0 || timer[3] != 0;
}

bool has_children() {
  constexpr long kAll = 0;                    // P_ALL
  constexpr long kFlags = 0x1000000 | 1 | 4;  // WNOWAIT | WNOHANG | WEXITED
  constexpr long kNoChild = -10;              // ECHILD
  return system_call(__NR_waitid, kAll, 0, 0, kFlags) != kNoChild;
}

}  // namespace

const Thread* Explorer::holder_of(const Wait& wait, const Thread& waiter) const {
  for (u32 i = 0; i < count_; ++i) {
    const Thread& other = threads_[i];
    if (other.where.load(std::memory_order_relaxed) == Where::Ended) continue;
    for (u32 held = 0; held < other.held_count; ++held) {
      if (other.held[held].object != wait.object) continue;
      // Readers block only writers; a thread blocks itself.
      if ((wait.exclusive || other.held[held].exclusive) && (&other != &waiter || wait.exclusive)) return &other;
    }
  }
  return nullptr;
}

bool Explorer::closes_cycle(const Thread& from) const {
  const Thread* at = &from;
  for (u32 steps = 0; steps <= count_; ++steps) {
    const bool waits = at->where.load(std::memory_order_relaxed) == Where::Blocked && at->wait.kind == WaitKind::Lock &&
                       at->wait.deadline == Wait::kNever && !at->wait.foreign;
    if (!waits) return false;
    at = holder_of(at->wait, *at);
    if (at == nullptr) return false;
    if (at == &from) return true;
  }
  return false;
}

bool Explorer::is_wait_for_outside() const {
  if (has_outside() || has_timer() || has_children()) return true;
  u32 alive = 0;
  for (u32 i = 0; i < count_; ++i) {
    const Thread& thread = threads_[i];
    const Where where = thread.where.load(std::memory_order_relaxed);
    if (where == Where::Ended) continue;
    ++alive;
    if (where == Where::Blocked && thread.wait.foreign) return true;
  }
  return task_count() > alive;
}

void Explorer::end_with(const char* kind) {
  for (u32 i = 0; i < count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) == Where::Ended || thread.state == nullptr) continue;
    schedule::LogMessage log(configuration_.log);
    const bool blocked = thread.where.load(std::memory_order_relaxed) == Where::Blocked;
    const Thread* const holder = blocked ? holder_of(thread.wait, thread) : nullptr;
    log << "waits " << u64{thread.id} << " " << (blocked ? kWaitNames[static_cast<u32>(thread.wait.kind)] : "spins")
        << " " << (holder == nullptr ? u64{0} : u64{holder->id} + 1) << " ";
    log.hexadecimal(blocked ? thread.wait.object : thread.pending.object) << "\n";
    uptr stack[schedule::Arrival::kFrames];
    write_frames(log, stack, schedule::stack_of(thread.state, thread.pc, stack, schedule::Arrival::kFrames));
  }
  finish(kind);
  configuration_.before_end();
  system_call(__NR_exit_group, kVerdictCode);
  __builtin_trap();
}

void Explorer::log_text(const char* key, const char* text) {
  schedule::LogMessage log(configuration_.log);
  log << key << " " << points_ << " " << strategy_.steps() << " " << u64{count_} << " ";
  log.hexadecimal(hash_) << " " << text << "\n";
}

void Explorer::log_crash(const ThreadState* state, const char* signal, uptr pc) {
  {
    schedule::LogMessage log(configuration_.log);
    log << "crash " << u64{state->id} << " " << signal << "\n";
    uptr stack[schedule::Arrival::kFrames];
    write_frames(log, stack, schedule::stack_of(state, pc, stack, schedule::Arrival::kFrames));
  }
  finish("crash");
}

}  // namespace omen::rt::explore
