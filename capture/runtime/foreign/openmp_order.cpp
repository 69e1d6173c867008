#include "capture/runtime/foreign/openmp_order.hpp"

#include "capture/runtime/foreign/hidden_state.hpp"

namespace omen::rt::openmp {
namespace {

constexpr u32 kRing = 1024;     // task objects of a thread, reused in turn
constexpr Object kDepths = 16;  // nested regions with objects of their own
constexpr u32 kOpenGroups = 64;
/// The objects of a thread: those of its tasks, those of its regions, and those that children of its implicit tasks
/// release.
constexpr Object kObjectsOfThread = kRing + kDepths * Team::kObjects + kDepths;
/// Pseudo addresses beyond memory, and apart from the addresses of dependences with `kNoMemory` added.
constexpr uptr kFirst = kNoMemory + (uptr{1} << 44);

std::atomic<uptr> next_object{kFirst};

constexpr Object kEvents = kFirst - 1;
std::atomic<bool> are_events_expected{false};

struct Own {
  Context context;
  Object base = 0;
  u32 next = 0;
  Object outer_groups[kOpenGroups] = {};
};
constinit __thread Own own __attribute__((tls_model("initial-exec")));

Object base() {
  if (own.base == 0) own.base = next_object.fetch_add(kObjectsOfThread, std::memory_order_relaxed);
  return own.base;
}
Object ring_object() {
  return base() + own.next++ % kRing;
}
Object children_at(u32 depth) {
  return base() + kRing + kDepths * Team::kObjects + depth % kDepths;
}

void synchronise(raw::RawOp op, Object object, uptr pc) {
  if (object == 0) return;
  if (ThreadState* const thread = recording_thread()) recorder.synchronise(thread, op, object, 0, pc);
}

void acquire_events(uptr pc) {
  if (are_events_expected.load(std::memory_order_relaxed)) synchronise(raw::RawOp::SyncAcquire, kEvents, pc);
}

/// Tasks that write release one object of the address, tasks that read another one.
Object writers_of(uptr address) {
  return kNoMemory + address;
}
Object readers_of(uptr address) {
  return (kNoMemory + address) ^ (uptr{1} << 45);
}

}  // namespace

Scope::Scope(const Context& context) : before_(own.context) {
  own.context = context;
  if (current_thread != nullptr) {
    library_frame_ = current_thread->library_frame;
    current_thread->library_frame = 0;
  }
}
Scope::~Scope() {
  own.context = before_;
  if (current_thread != nullptr) current_thread->library_frame = library_frame_;
}

void release(Object object, uptr pc) {
  synchronise(raw::RawOp::SyncRelease, object, pc);
}
void acquire(Object object, uptr pc) {
  synchronise(raw::RawOp::SyncAcquire, object, pc);
}

Team new_team() {
  return {base() + kRing + own.context.depth % kDepths * Team::kObjects};
}
u32 depth() {
  return own.context.depth;
}
Context member_of(Team team, u32 depth) {
  Context context;
  context.team = team;
  context.depth = depth;
  context.children = children_at(depth);
  context.groups = own.context.groups;
  return context;
}
Team current_team() {
  return own.context.team;
}

void leave_region(Team team, uptr pc) {
  acquire_events(pc);
  acquire(team.end(), pc);
}

void arrive_at_barrier(uptr pc) {
  Context& context = own.context;
  if (context.team.base == 0) return;
  release(context.team.barrier(context.barriers), pc);
  context.waits = true;
}
void leave_barrier(uptr pc) {
  Context& context = own.context;
  if (context.team.base == 0) return;
  context.waits = false;
  acquire(context.team.barrier(context.barriers), pc);
  acquire_events(pc);
  ++context.barriers;
}

TaskOrigin create_task(uptr pc) {
  Context& context = own.context;
  if (context.children == 0) context.children = ring_object();
  const TaskOrigin origin{context.team, ring_object(), context.children, context.group};
  release(origin.created, pc);
  return origin;
}
Context task_context(const TaskOrigin& origin) {
  Context context = own.context;
  context.team = origin.team;
  context.group = origin.group;
  context.children = 0;
  return context;
}
void acquire_dependences(const Dependence* dependences, u64 count, uptr pc) {
  for (u64 i = 0; i < count; ++i) {
    acquire(writers_of(dependences[i].address), pc);
    if (dependences[i].writes) acquire(readers_of(dependences[i].address), pc);
  }
}
void begin_task(const TaskOrigin& origin, const Dependence* dependences, u64 count) {
  acquire(origin.created, 0);
  acquire_dependences(dependences, count, 0);
}
void end_task(const TaskOrigin& origin, const Dependence* dependences, u64 count) {
  for (u64 i = 0; i < count; ++i) {
    release(dependences[i].writes ? writers_of(dependences[i].address) : readers_of(dependences[i].address), 0);
  }
  release(origin.siblings, 0);
  release(origin.group, 0);
  // The barrier at which the task ends comes after it. A thread outside a barrier has yet to arrive at one. This runs
  // after the task's scope: for a thread that has left the region's code the barrier is the one at the region's end.
  const Context& context = own.context;
  if (origin.team.base == 0) return;
  if (context.team != origin.team) return release(origin.team.end(), 0);
  if (context.waits) release(context.team.barrier(context.barriers), 0);
}
void expect_events() {
  are_events_expected.store(true, std::memory_order_relaxed);
}
void fulfill_event(uptr pc) {
  release(kEvents, pc);
}
void join_children(uptr pc) {
  acquire_events(pc);
  acquire(own.context.children, pc);
}
void begin_group() {
  Context& context = own.context;
  if (context.groups < kOpenGroups) {
    own.outer_groups[context.groups] = context.group;
    context.group = ring_object();
  }
  ++context.groups;
}
void end_group(uptr pc) {
  Context& context = own.context;
  acquire_events(pc);
  acquire(context.group, pc);
  if (context.groups == 0) return;
  if (--context.groups < kOpenGroups) context.group = own.outer_groups[context.groups];
}

}  // namespace omen::rt::openmp
