/// \file
/// The end of a schedule that shows a deadlock. Each of its threads is held before its request. When all have arrived
/// they continue uncontrolled, and each requests what the next one holds. `omen replay` detects that they are stuck
/// (cli/stuck_program.hpp), and ends the program.
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/frames.hpp"
#include "capture/runtime/schedule/log.hpp"

namespace omen::rt::schedule {
namespace {

constexpr u32 kMostThreads = 64;

constinit SpinLock lock{};  ///< guards `arrivals`
constinit Arrival arrivals[kMostThreads] = {};
constinit std::atomic<u32> arrived{0};

u32 count() {
  return control.plan.wait_count < kMostThreads ? control.plan.wait_count : kMostThreads;
}

u32 request_of(const Controlled& at) {
  for (u32 i = 0; i < count(); ++i) {
    if (control.plan.waits[i].thread == at.number) return i;
  }
  return kNone;
}

void write(const Arrival& arrival, u32 number) {
  LogMessage log(control.plan.log);
  log << "waiting " << number << " " << arrival.thread << " " << arrival.system_id << "\n";
  write_frames(log, arrival.stack, arrival.frames);
}

}  // namespace

bool waits_in_deadlock(const Controlled& at) {
  return control.plan.wait_count != 0 && request_of(at) != kNone;
}

u32 missing_in_deadlock() {
  const SpinGuard guard(lock);
  for (u32 i = 0; i < count(); ++i) {
    if (!arrivals[i].is_there) return control.plan.waits[i].thread;
  }
  return control.plan.waits[0].thread;
}

u32 arrived_in_deadlock() {
  return arrived.load(std::memory_order_relaxed);
}

bool arrive_at_request(const ThreadState* thread, Controlled& at, uptr pc) {
  if (control.plan.wait_count == 0) return false;
  const u32 mine = request_of(at);
  if (mine == kNone || control.plan.waits[mine].place != control.places.find(pc)) return false;
  bool all = false;
  {
    const SpinGuard guard(lock);
    Arrival& arrival = arrivals[mine];
    if (!arrival.is_there) {
      arrival.thread = at.number;
      arrival.system_id = at.system_id.load(std::memory_order_relaxed);
      arrival.frames = stack_of(thread, pc, arrival.stack, Arrival::kFrames);
      arrival.is_there = true;
      all = arrived.fetch_add(1) + 1 == count();
    }
  }
  if (!all) {
    control.await(at, [] { return false; });
    return true;
  }
  for (u32 i = 0; i < count(); ++i) write(arrivals[i], i);
  LogMessage(control.plan.log) << "deadlock\n";
  control.end();
  return true;
}

}  // namespace omen::rt::schedule
