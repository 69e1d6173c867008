/// \file
/// Detects that the next step does not come. Its thread may wait for something outside of the order: input, a lock of
/// uninstrumented code, another process. While the thread runs or can run by itself, the others wait for it. The replay
/// is abandoned when the thread has slept in the kernel, or has not begun, for as long as the plan's patience, or has
/// run without a step for six times as long. Before that, while it sleeps, the other threads may begin: it may wait for
/// one of them.
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/kernel_state.hpp"

namespace omen::rt::schedule {
namespace {

/// The thread that the others wait for.
u32 owner() {
  const u32 turn = control.turn.load(std::memory_order_acquire);
  if (turn < control.plan.steps) return control.plan.owners[turn];
  if (control.plan.wait_count != 0) return missing_in_deadlock();
  return control.plan.targets[control.arrivals[0].is_there ? 1 : 0].thread;
}

}  // namespace

void Control::look_for_stall() {
  if (state.load(std::memory_order_acquire) != State::Running) return;
  u32 nobody = 0;
  if (!look_lock.compare_exchange_strong(nobody, 1, std::memory_order_acquire)) return;
  const u32 seen = plan.wait_count != 0 ? turn.load(std::memory_order_relaxed) * 4 + arrived_in_deadlock()
                                        : turn.load(std::memory_order_relaxed) * 4 + (arrivals[0].is_there ? 1 : 0) +
                                              (arrivals[1].is_there ? 2 : 0);
  const u64 now = monotonic_time();
  const char* reason = nullptr;
  bool frees_begins = false;
  u32 who = 0;
  if (seen != progress_seen) {
    progress_seen = seen;
    progress_time = now;
  } else if (const u64 limit = u64{plan.patience} * 1'000'000'000;
             now - progress_time > (begins_are_free.load(std::memory_order_relaxed) ? limit : limit / 10)) {
    who = owner();
    const u32 system_id = threads[who].system_id.load(std::memory_order_acquire);
    const char in = system_id == 0 ? 'X' : state_of_thread(system_id);
    if (now - progress_time <= limit) {
      frees_begins = in == 'S';
    } else if (system_id == 0) {
      reason = "not-begun";
    } else if (in == 'X' || in == 'Z') {
      reason = "ended";
    } else if (in == 'S') {
      reason = "blocked";
    } else if (now - progress_time > 6 * limit) {
      reason = "running";
    }
  }
  look_lock.store(0, std::memory_order_release);
  if (frees_begins) {
    begins_are_free.store(true, std::memory_order_release);
    wake_all();
  }
  if (reason != nullptr) diverge_stalled(reason, who);
}

}  // namespace omen::rt::schedule
