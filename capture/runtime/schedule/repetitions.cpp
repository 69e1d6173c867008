/// \file
/// A recording omits loads that find the same value again, and in a replayed run these pass freely. In the order, a
/// thread in a bounded loop of loads, as in `std::atomic::wait` before it sleeps, leaves the loop because the rounds
/// are over. A store that comes while the thread is still in the loop would end it earlier. So a store waits until each
/// thread whose latest step is a load is before its next step, if that is at another location.
///
/// That thread may do something else first, long or for ever. So the store does not wait for a thread that sleeps in
/// the kernel or computes for long, until that thread's next step.
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/kernel_state.hpp"

namespace omen::rt::schedule {
namespace {

constexpr u64 kLongRun = 250'000'000;  ///< nanoseconds of processor time

/// Only its own thread advances a route, in its turn, and the caller's turn comes after that.
bool may_repeat_a_load(const Controlled& thread) {
  const Route& route = thread.route;
  if (route.at == 0 || route.is_over()) return false;
  const Step& latest = route.steps[route.at - 1];
  return latest.kind == PointKind::Load && latest.place != route.next().place;
}

bool is_in_loop(Controlled& thread) {
  if (!may_repeat_a_load(thread) || thread.stands.load() || thread.given_up_at == thread.route.at) return false;
  const KernelState now = kernel_state_of(thread.system_id.load(std::memory_order_acquire));
  if (thread.looked_at != thread.route.at) {
    thread.looked_at = thread.route.at;
    thread.looked_cpu = now.cpu;
  }
  if ((now.state == 'R' || now.state == 'D') && now.cpu - thread.looked_cpu <= kLongRun) return true;
  if (thread.stands.load()) return false;
  thread.given_up_at = thread.route.at;
  return false;
}

}  // namespace

bool changes_atomic(PointKind kind) {
  return kind == PointKind::Store || kind == PointKind::Rmw;
}

bool others_repeat_loads(const Controlled& self) {
  bool any = false;
  for (u32 i = 0; i < control.plan.thread_count && !any; ++i) {
    if (i != self.number) any = is_in_loop(control.threads[i]);
  }
  return any;
}

}  // namespace omen::rt::schedule
