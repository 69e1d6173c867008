/// \file
/// The end of the order: both threads are before their racing accesses. Then one executes its access, and stops again
/// at its next call of the runtime until the other has executed its own. The memory is read in between. After that all
/// threads run uncontrolled.
#include <asm/unistd.h>

#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/frames.hpp"
#include "capture/runtime/schedule/kernel_state.hpp"
#include "capture/runtime/schedule/log.hpp"
#include "capture/runtime/threads/thread_state.hpp"

// The debugger interface: cli/omen_gdb.py stops at these functions and writes these variables.
extern "C" {
__attribute__((visibility("default"), used)) volatile int __omen_replay_first = -1;
__attribute__((visibility("default"), used)) volatile unsigned long __omen_replay_address = 0;
__attribute__((visibility("default"), used)) volatile unsigned long __omen_replay_bytes = 0;
__attribute__((visibility("default"), used)) volatile int __omen_replay_threads[2] = {0, 0};
__attribute__((visibility("default"), used)) volatile int __omen_replay_writes[2] = {0, 0};
__attribute__((visibility("default"), used, noinline)) void __omen_race_reached() {
  asm volatile("" ::: "memory");
}
__attribute__((visibility("default"), used, noinline)) void __omen_race_stepped(int side) {
  asm volatile("" ::"r"(side) : "memory");
}
}

namespace omen::rt::schedule {
namespace {

constexpr u64 kMostShown = 16;
/// An access executes within a few instructions. If the thread does not call the runtime soon after it, the access
/// counts as executed, unless the thread has not run at all, as on a busy machine.
constexpr u64 kPatience = 500'000'000;
constexpr u64 kLongRun = 20'000'000;  ///< nanoseconds of processor time

/// Writes as many bytes of the memory as can be read, as hexadecimal digits, the first byte first.
void write_value(LogMessage& log, uptr address, u64 bytes) {
  u8 value[kMostShown] = {};
  const u64 wanted = bytes < kMostShown ? bytes : kMostShown;
  const u64 into[2] = {reinterpret_cast<u64>(value), wanted};
  const u64 from[2] = {address, wanted};
  const long got = system_call(__NR_process_vm_readv, static_cast<long>(process_id()), reinterpret_cast<long>(into), 1,
                               reinterpret_cast<long>(from), 1, 0);
  if (got <= 0) {
    log << "?";
    return;
  }
  for (long i = 0; i < got; ++i) {
    const char digits[] = {"0123456789abcdef"[value[i] >> 4], "0123456789abcdef"[value[i] & 15], 0};
    log << digits;
  }
}

void write_arrival(LogMessage& log, u32 side) {
  const Arrival& arrival = control.arrivals[side];
  log << "access " << side << " " << arrival.thread << " " << arrival.system_id << " " << (arrival.write ? 1 : 0) << " "
      << arrival.bytes << " ";
  log.hexadecimal(arrival.address) << "\n";
  write_frames(log, arrival.stack, arrival.frames);
}

void log_value(const char* when, u32 side) {
  LogMessage log(control.plan.log);
  log << when << " " << side << " ";
  write_value(log, control.shared_begin, control.shared_bytes);
  log << "\n";
}

u32 first_side() {
  const int chosen = __omen_replay_first;
  return chosen < 0 ? control.plan.first : static_cast<u32>(chosen) & 1;
}

/// Computes the common bytes. Both threads have arrived, and the caller holds the lock.
bool overlap(const Arrival& a, const Arrival& b) {
  const uptr begin = a.address > b.address ? a.address : b.address;
  const uptr end = a.address + a.bytes < b.address + b.bytes ? a.address + a.bytes : b.address + b.bytes;
  if (begin >= end) return false;
  control.shared_begin = begin;
  control.shared_bytes = end - begin;
  return true;
}

void fill(Arrival& arrival, const ThreadState* thread, const Controlled& at, uptr address, u64 bytes, bool write,
          uptr pc) {
  arrival.thread = at.number;
  arrival.system_id = at.system_id.load(std::memory_order_relaxed);
  arrival.address = address;
  arrival.bytes = bytes;
  arrival.write = write;
  arrival.frames = stack_of(thread, pc, arrival.stack, Arrival::kFrames);
  arrival.is_there = true;
}

void announce() {
  {
    LogMessage log(control.plan.log);
    log << "reached\n";
    write_arrival(log, 0);
    write_arrival(log, 1);
  }
  log_value("before", 0);
  __omen_replay_address = control.shared_begin;
  __omen_replay_bytes = control.shared_bytes;
  for (u32 side = 0; side < 2; ++side) {
    __omen_replay_threads[side] = static_cast<int>(control.arrivals[side].system_id);
    __omen_replay_writes[side] = control.arrivals[side].write ? 1 : 0;
  }
}

void finish() {
  control.phase.store(3, std::memory_order_release);
  LogMessage(control.plan.log) << "done\n";
  control.end();
}

/// A thread that was released.
struct LetGo {
  u32 system_id = 0;
  u64 since = 0;
  u64 cpu = 0;  ///< its processor time then

  explicit LetGo(u32 side)
      : system_id(control.arrivals[side].system_id), since(monotonic_time()), cpu(kernel_state_of(system_id).cpu) {}

  bool is_late() const {
    if (control.plan.hold || monotonic_time() - since <= kPatience) return false;
    const KernelState now = kernel_state_of(system_id);
    return (now.state != 'R' && now.state != 'D') || now.cpu - cpu > kLongRun;
  }
};

/// The access of this side has executed. The memory is logged, and a debugger may read it, before the next phase lets
/// the other thread change it.
void end_access(u32 side, u32 next_phase) {
  if (control.made[side].exchange(true)) return;
  log_value("after", side);
  if (control.plan.hold) __omen_race_stepped(static_cast<int>(side));
  control.phase.store(next_phase, std::memory_order_release);
  control.wake_all();
}

/// Waits until the other thread's access has executed, or it does not call back.
void await_phase(Controlled& at, u32 phase, u32 side) {
  const auto has_begun = [&] { return control.phase.load(std::memory_order_acquire) + 1 >= phase; };
  if (!control.await(at, has_begun)) return;
  const LetGo other(side);
  if (!control.await(at, [&] { return control.phase.load(std::memory_order_acquire) >= phase || other.is_late(); })) {
    return;
  }
  end_access(side, phase);
  control.await(at, [&] { return control.phase.load(std::memory_order_acquire) >= phase; });
}

}  // namespace

bool arrive(ThreadState* thread, Controlled& at, uptr address, u64 bytes, bool write, uptr pc) {
  const u32 side = control.plan.targets[0].thread == at.number && !control.plan.targets[0].passes ? 0 : 1;
  {
    const SpinGuard guard(control.lock);
    Arrival& mine = control.arrivals[side];
    fill(mine, thread, at, address, bytes, write, pc);
    if (control.arrivals[1 - side].is_there) {
      if (!overlap(mine, control.arrivals[1 - side])) {
        mine.is_there = false;
        return false;
      }
      State running = State::Running;
      if (!control.state.compare_exchange_strong(running, State::Reached)) return false;
    }
  }
  if (control.state.load(std::memory_order_acquire) == State::Reached) {
    announce();
    if (control.plan.hold) __omen_race_reached();
    // An access that was not held has executed.
    const bool passed = control.plan.targets[1 - side].passes;
    control.phase.store(passed ? 2 : 1, std::memory_order_release);
    control.wake_all();
  } else if (!control.await(at, [] { return control.phase.load(std::memory_order_acquire) != 0; })) {
    return true;
  }
  const bool passed = control.plan.targets[1 - side].passes;
  if (!passed && first_side() != side) await_phase(at, 2, 1 - side);
  at.acts = true;
  thread->watch = ThreadState::Watch::Scheduled;
  return true;
}

void note_passing(ThreadState* thread, Controlled& at, u32 side, uptr address, u64 bytes, bool write, uptr pc) {
  const SpinGuard guard(control.lock);
  if (!control.arrivals[side].is_there) fill(control.arrivals[side], thread, at, address, bytes, write, pc);
}

void after_access(Controlled& at) {
  if (OMEN_LIKELY(!at.acts)) return;
  at.acts = false;
  const u32 side = control.plan.targets[0].thread == at.number && !control.plan.targets[0].passes ? 0 : 1;
  const bool passed = control.plan.targets[1 - side].passes;
  const bool is_first = !passed && first_side() == side;
  end_access(side, is_first ? 2 : 3);
  if (is_first) await_phase(at, 3, 1 - side);
  if (control.phase.load(std::memory_order_acquire) >= 3) finish();
}

void diverge_at(const ThreadState* thread, const Controlled& at, PointKind what, uptr pc) {
  if (control.state.load(std::memory_order_acquire) != State::Running) return;
  if (!control.end()) return;
  LogMessage log(control.plan.log);
  log << "diverged " << control.turn.load() << " " << at.number << " " << static_cast<u64>(what) << "\n";
  uptr stack[Arrival::kFrames];
  write_frames(log, stack, stack_of(thread, pc, stack, Arrival::kFrames));
}

void diverge_stalled(const char* reason, u32 owner) {
  if (control.state.load(std::memory_order_acquire) != State::Running || !control.end()) return;
  LogMessage(control.plan.log) << "stalled " << control.turn.load() << " " << owner << " " << reason << "\n";
}

}  // namespace omen::rt::schedule
