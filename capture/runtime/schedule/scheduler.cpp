#include "capture/runtime/schedule/scheduler.hpp"

#include <asm/unistd.h>

#include "capture/runtime/schedule/confirm/meeting.hpp"
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/schedule/log.hpp"
#include "capture/runtime/schedule/raw_points.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::schedule {

constinit Mode mode = Mode::Off;
constinit Control control{};

namespace {

using raw::RawOp;

const char* base_name(const char* path) {
  const char* base = path;
  for (; *path != 0; ++path) {
    if (*path == '/') base = path + 1;
  }
  return base;
}

/// True if the plan is for this program, and not for the shell that starts it.
bool is_planned_program(const Plan& plan) {
  char path[4096];
  const long length = system_call(__NR_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
                                  sizeof path - 1);
  if (length <= 0 || plan.module_count == 0) return false;
  path[length] = 0;
  return text_equal(base_name(path), base_name(plan.modules[0]));
}

Controlled* of(const ThreadState* thread) {
  return thread->controlled;
}

/// The thread is not in the plan: its operations are not part of the order.
void park_unplanned() {
  while (!control.is_over()) {
    await_change_for(control.look_lock, 2, 50'000'000);
    control.look_for_stall();
  }
}

bool is_target_of(const Controlled& at, u32 side) {
  return control.plan.targets[side].thread == at.number && !control.plan.targets[side].passes;
}
bool is_racing(const Controlled& at) {
  return is_target_of(at, 0) || is_target_of(at, 1) || waits_in_deadlock(at);
}
bool has_passing_access(const Controlled& at) {
  const Target* const targets = control.plan.targets;
  return (targets[0].passes && targets[0].thread == at.number) || (targets[1].passes && targets[1].thread == at.number);
}

/// After its last step, a racing thread's accesses are checked.
void choose_watch(ThreadState* thread, const Controlled& at) {
  const bool looks = ((at.route.is_over() || at.route.departs()) && is_racing(at)) || has_passing_access(at) || at.acts;
  thread->watch = looks ? ThreadState::Watch::Scheduled : ThreadState::Watch::Alone;
}

/// Wakes the thread of step `turn`, skipping the first steps of threads that have already begun.
void wake_next() {
  for (u32 next = control.turn.load(); next < control.plan.steps; next = control.turn.load()) {
    const u32 owner = control.plan.owners[next];
    const bool is_first = control.plan.threads[owner].route.steps[0].turn == next;
    if (!is_first || control.threads[owner].begun.load() == 0) return Control::wake(control.threads[owner]);
    control.turn.compare_exchange_strong(next, next + 1);
  }
}

void advance(ThreadState* thread, Controlled& at) {
  ++at.route.at;
  control.turn.fetch_add(1);
  wake_next();
  choose_watch(thread, at);
}

bool await_turn(Controlled& at) {
  const Step& step = at.route.next();
  at.stands.store(true);
  // The thread whose turn it is may wait for this thread to arrive here.
  if (const u32 now = control.turn.load(); now < step.turn) Control::wake(control.threads[control.plan.owners[now]]);
  const bool is_due = control.await(at, [&] {
    return control.state.load(std::memory_order_relaxed) == State::Running &&
           control.turn.load(std::memory_order_acquire) == step.turn &&
           !(changes_atomic(step.kind) && others_repeat_loads(at));
  });
  at.stands.store(false);
  return is_due;
}

/// Waits until the thread may begin. False: control is over.
bool await_begin(ThreadState* thread, Controlled& at) {
  const bool in_order = !at.route.is_over() && !at.route.departs();
  const auto is_due = [&] { return in_order && control.turn.load() == at.route.next().turn; };
  const auto may_begin = [&] {
    return control.state.load(std::memory_order_relaxed) == State::Running &&
           (is_due() || control.begins_are_free.load(std::memory_order_acquire));
  };
  if (!control.await(at, may_begin)) return false;
  if (!in_order) return true;
  if (is_due()) {
    advance(thread, at);
    return true;
  }
  ++at.route.at;
  at.begun.store(1);
  wake_next();
  choose_watch(thread, at);
  return true;
}

/// The beginning of a handler has no code location.
bool is_handler(const Step& step) {
  return step.kind == PointKind::Acquire && step.place == kNoPlace;
}
bool expects_handler(const Controlled& at) {
  return !at.route.is_over() && is_handler(at.route.next());
}

/// The order has a signal handler here: waits for the signal.
void await_handlers(ThreadState* thread, Controlled& at) {
  while (thread->busy == 0 && expects_handler(at) && !control.is_over()) {
    const u32 before = at.route.at;
    if (thread->signals.any.load(std::memory_order_relaxed) != 0) {
      deliver_pending_signals(thread);
      continue;
    }
    if (!control.await(
            at, [&] { return at.route.at != before || thread->signals.any.load(std::memory_order_relaxed) != 0; })) {
      return;
    }
  }
}

void park_to_end(Controlled& at) {
  control.await(at, [] { return false; });
}

bool overlaps(u64 a, u64 a_bytes, u64 b, u64 b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

/// The address of the target's memory in this run; 0: unknown.
uptr address_of(u32 side) {
  const PlannedMemory& memory = control.plan.targets[side].memory;
  switch (memory.kind) {
    case MemoryKind::Global:
      return control.places.is_known(memory.owner) ? control.places.bias(memory.owner) + memory.offset : 0;
    case MemoryKind::Heap: {
      const uptr block = control.blocks[side].load(std::memory_order_acquire);
      return block == 0 ? 0 : block + memory.offset;
    }
    case MemoryKind::Stack: {
      const uptr end = memory.owner < control.plan.thread_count
                           ? control.threads[memory.owner].stack_end.load(std::memory_order_acquire)
                           : 0;
      return end == 0 ? 0 : end - memory.offset;
    }
    case MemoryKind::Any:
      return 0;
  }
  return 0;
}

bool touches_target(u32 side, uptr address, u64 bytes) {
  const uptr begin = address_of(side);
  return begin == 0 || overlaps(begin, control.plan.targets[side].memory.bytes, address, bytes);
}

/// The access that the departure leads to: any of the other's memory.
void arrive_departed(ThreadState* thread, Controlled& at, uptr address, u64 bytes, bool write, uptr pc) {
  if (!await_turn(at)) return;
  for (u32 side = 0; side < 2; ++side) {
    if (!is_target_of(at, side) || address_of(side) == 0 || !touches_target(side, address, bytes)) continue;
    advance(thread, at);
    arrive(thread, at, address, bytes, write, pc);
    return;
  }
}

void pass_point(ThreadState* thread, Controlled& at, PointKind kind, uptr object, uptr pc) {
  if (at.route.departs() && kind != PointKind::End) {
    await_turn(at);
    return;
  }
  if (at.route.is_over() && !is_racing(at)) return park_to_end(at);
  const u32 place = control.places.find(pc);
  switch (match(at.route, kind, place)) {
    case Match::Next:
      if (await_turn(at)) advance(thread, at);
      return;
    case Match::Repeats:
      return;
    case Match::Other:
    case Match::Over:
      break;
  }
  for (u32 side = 0; side < 2; ++side) {
    const Target& target = control.plan.targets[side];
    const bool here = at.route.is_over() && is_target_of(at, side) && target.at_point && target.place == place;
    if (here && arrive(thread, at, object, 1, true, pc)) return;
  }
  diverge_at(thread, at, kind, pc);
}

}  // namespace

u64 monotonic_time() {
  u64 time[2] = {};
  system_call(__NR_clock_gettime, 1, reinterpret_cast<long>(time));
  return time[0] * 1'000'000'000 + time[1];
}

u32 stack_of(const ThreadState* thread, uptr pc, uptr* places, u32 room) {
  u32 count = 0;
  if (pc != 0 && count < room) places[count++] = pc;
  for (const Frame* frame = thread->stack.top(); frame > thread->stack.bottom() && count < room; --frame) {
    places[count++] = frame->pc;
  }
  return count;
}

bool take_control(Mode as) {
  if (!take_static_branches()) {
    Message() << "the system does not let the program's code be changed; it runs without a schedule";
    return false;
  }
  mode = as;
  return true;
}

bool start(const char* path) {
  Plan& plan = control.plan;
  if (!plan.read(path)) {
    Message() << path << ": cannot read the plan of the replay; the program runs freely";
    return false;
  }
  if (!is_planned_program(plan) || !claim_log(plan.log)) return false;
  control.threads = static_cast<Controlled*>(map_memory(plan.thread_count * sizeof(Controlled)));
  if (control.threads == nullptr || !control.places.prepare(plan)) return false;
  for (u32 i = 0; i < plan.thread_count; ++i) {
    control.threads[i].route = plan.threads[i].route;
    control.threads[i].number = i;
  }
  if (!take_control(Mode::Replay)) return false;
  LogMessage(plan.log) << "claimed " << process_id() << "\n";
  control.progress_time = monotonic_time();
  return true;
}

void adopt_first_thread(ThreadState* thread) {
  if (mode == Mode::Confirm) {
    thread->watch = ThreadState::Watch::Scheduled;
    return;
  }
  if (mode == Mode::Explore) {
    thread->explored = explore::explorer.add_thread(thread);
    return;
  }
  thread->controlled = &control.threads[0];
  begin_thread(thread);
}

void adopt_child(ThreadState* creator, ThreadState* child) {
  if (mode == Mode::Confirm) {
    confirm::find_modules();
    child->watch = ThreadState::Watch::Scheduled;
    return;
  }
  if (mode == Mode::Explore) {
    if (creator->explored != nullptr) child->explored = explore::explorer.add_thread(child);
    return;
  }
  Controlled* const parent = of(creator);
  child->watch = ThreadState::Watch::Alone;
  if (parent == nullptr) return;
  const u32 nth = parent->forks++;
  for (u32 i = 1; i < control.plan.thread_count; ++i) {
    const Plan::Thread& planned = control.plan.threads[i];
    if (planned.creator == parent->number && planned.nth == nth) child->controlled = &control.threads[i];
  }
}

void begin_thread(ThreadState* thread) {
  if (mode == Mode::Explore) return explore::explorer.begin(thread);
  if (mode == Mode::Confirm) return;
  if (control.is_over()) return;
  Controlled* const at = of(thread);
  if (at == nullptr) return park_unplanned();
  at->system_id.store(system_thread_id(), std::memory_order_release);
  choose_watch(thread, *at);
  await_begin(thread, *at);
}

void gate(ThreadState* thread, uptr pc, uptr object, u64 bytes, PointKind kind) {
  if (mode == Mode::Explore) return explore::explorer.point(thread, {kind, object}, pc);
  if (mode == Mode::Confirm) {
    if (object != 0) confirm::access(thread, object, bytes, kind != PointKind::Load, pc);
    return;
  }
  thread->spin_address = 0;  // a repeated load may still be a step
  if (control.is_over() || thread->busy != 0) return;
  Controlled* const at = of(thread);
  if (at == nullptr) return park_unplanned();
  after_access(*at);
  await_handlers(thread, *at);
  if (at->route.departs()) {
    await_turn(*at);
    return;
  }
  if (at->route.is_over()) {
    if (arrive_at_request(thread, *at, pc)) return;
    const u32 place = control.places.find(pc);
    for (u32 side = 0; side < 2; ++side) {
      const Target& target = control.plan.targets[side];
      if (!is_target_of(*at, side) || !target.at_point || target.place != place) continue;
      if (!touches_target(side, object, bytes)) continue;
      if (arrive(thread, *at, object, bytes, true, pc)) {
        at->skips_pass = true;
        return;
      }
    }
    if (!is_racing(*at)) park_to_end(*at);
    return;
  }
  const u32 place = control.places.find(pc);
  if (match(at->route, PointKind::None, place) != Match::Next || !await_turn(*at)) return;
  for (u32 side = 0; side < 2; ++side) {
    const Target& target = control.plan.targets[side];
    if (!target.passes || !target.at_point || target.thread != at->number || target.place != place) continue;
    if (touches_target(side, object, bytes)) note_passing(thread, *at, side, object, bytes, true, pc);
  }
}

void fence(ThreadState* thread, uptr pc) {
  if (mode == Mode::Explore) explore::explorer.point(thread, {PointKind::Both, 0}, pc);
}

void pass(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (!replays()) return;
  const PointKind kind = raw::point_kind(op, detail);
  // A thread begins just before it calls its function: begin_thread.
  if (kind == PointKind::None || kind == PointKind::Begin || control.is_over()) return;
  Controlled* const at = of(thread);
  if (at == nullptr) return park_unplanned();
  if (at->skips_pass) {
    at->skips_pass = false;
    return;
  }
  after_access(*at);
  const bool is_handler_itself = kind == PointKind::Acquire && pc == 0;
  if (!is_handler_itself) await_handlers(thread, *at);
  pass_point(thread, *at, kind, object, pc);
}

bool tries_again(ThreadState* thread, uptr pc) {
  if (!replays()) return false;
  const Controlled* const at = of(thread);
  if (at == nullptr || thread->busy != 0 || at->route.is_over() || control.is_over()) return false;
  const Step& step = at->route.next();
  const bool succeeds =
      step.kind == PointKind::Lock || step.kind == PointKind::LockShared || step.kind == PointKind::Take;
  if (!succeeds || step.place != control.places.find(pc) || control.turn.load() != step.turn) return false;
  yield_cpu();
  control.look_for_stall();
  return true;
}

Woken await_wake(ThreadState* thread, uptr pc) {
  Controlled* const at = of(thread);
  if (at == nullptr) {
    park_unplanned();
    return Woken::Signalled;
  }
  await_handlers(thread, *at);
  if (control.is_over()) return Woken::Signalled;
  if (at->route.is_over()) {
    if (!arrive_at_request(thread, *at, pc)) park_to_end(*at);
    return Woken::Signalled;
  }
  if (at->route.departs() || match(at->route, PointKind::Wake, control.places.find(pc)) != Match::Next) {
    return Woken::Signalled;
  }
  const bool timed_out = at->route.next().kind == PointKind::TimedOut;
  return await_turn(*at) && timed_out ? Woken::TimedOut : Woken::Signalled;
}

bool runs() {
  return replays() && !control.is_over();
}

void access(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (mode == Mode::Confirm) {
    if (thread->ignore_access == 0) confirm::access(thread, address, bytes, write, pc);
    return;
  }
  Controlled* const at = of(thread);
  if (at == nullptr || control.is_over()) {
    thread->watch = ThreadState::Watch::Alone;
    return;
  }
  if (thread->busy != 0 || thread->ignore_access != 0 || bytes == 0) return;
  after_access(*at);
  if (thread->watch != ThreadState::Watch::Scheduled) return;
  if (at->route.departs()) return arrive_departed(thread, *at, address, bytes, write, pc);
  const u32 place = control.places.find(pc);
  for (u32 side = 0; side < 2; ++side) {
    const Target& target = control.plan.targets[side];
    if (target.thread != at->number || target.place != place || target.at_point) continue;
    if (!touches_target(side, address, bytes)) continue;
    if (target.passes) {
      note_passing(thread, *at, side, address, bytes, write, pc);
    } else if (at->route.is_over()) {
      arrive(thread, *at, address, bytes, write, pc);
      return;
    }
  }
}

void memory(ThreadState* thread, RawOp op, uptr address, u64 bytes, uptr pc) {
  if (mode == Mode::Confirm) {
    if (op == RawOp::Free) confirm::access(thread, address, bytes, true, pc);
    return;
  }
  Controlled* const at = of(thread);
  if (at == nullptr || control.is_over()) return;
  if (op == RawOp::NewMemory && pc == 0) {
    at->stack_end.store(address + bytes, std::memory_order_release);
  } else if (op == RawOp::Allocate || op == RawOp::AllocateUnwritten) {
    const u32 place = control.places.find(pc);
    for (u32 side = 0; side < 2; ++side) {
      const PlannedMemory& wanted = control.plan.targets[side].memory;
      if (wanted.kind != MemoryKind::Heap || wanted.owner != at->number || wanted.place != place) continue;
      if (control.allocated[side].fetch_add(1) == wanted.nth) {
        control.blocks[side].store(address, std::memory_order_release);
      }
    }
    // The first bytes of a block are written when it is allocated.
    if (op == RawOp::Allocate && thread->busy == 0) access(thread, address, bytes < 8 ? bytes : 8, true, pc);
  } else if (op == RawOp::Free && thread->busy == 0) {
    access(thread, address, bytes, true, pc);
  }
}

void drop_child(ThreadState* child) {
  if (child->explored != nullptr) explore::explorer.drop_thread(*child->explored);
}

void end_thread(ThreadState* thread) {
  if (mode == Mode::Explore) explore::explorer.end(thread);
}

bool defers_signals(const ThreadState* thread) {
  if (mode == Mode::Explore) return explore::explorer.is_parked(thread);
  if (mode == Mode::Confirm) return false;
  const Controlled* const at = of(thread);
  return at != nullptr && !control.is_over() && !expects_handler(*at);
}

void await_end() {
  ThreadState* const thread = current_thread;
  if (!replays() || thread == nullptr || thread->busy != 0 || of(thread) == nullptr) return;
  Controlled& at = *of(thread);
  after_access(at);
  // A thread with steps left executes them in the exit handlers.
  if (!control.is_over() && at.route.is_over() && !is_racing(at)) park_to_end(at);
}

void release_forked_child() {
  explore::explorer.abandon();
  confirm::stop();
  control.state.store(State::Over, std::memory_order_release);
}

void note_first_stack(uptr frame) {
  if (replays()) control.threads[0].stack_end.store(frame, std::memory_order_release);
}

}  // namespace omen::rt::schedule
