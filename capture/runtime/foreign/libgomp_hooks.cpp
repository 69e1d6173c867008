/// \file
/// How GCC's code for OpenMP calls libgomp: `GOMP_parallel(fn, data, …)` runs `fn(data)` in each thread of a team,
/// `GOMP_task(fn, data, copy, …)` runs it at some time in some thread. The hooks replace `fn` by a function of the
/// runtime, and `data` by what that function needs; the other arguments are passed through. Work-sharing loops and
/// sections only distribute iteration numbers, and order nothing except by the barrier at their end.
///
/// Critical sections and OpenMP's locks are ordinary locks.
#include "capture/runtime/foreign/libgomp_hooks.hpp"

#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/foreign/openmp_order.hpp"
#include "capture/runtime/foreign/original.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

using Code = void (*)(void*);
using Copy = void (*)(void*, void*);

#define OMEN_PLACE reinterpret_cast<uptr>(__builtin_return_address(0))

// Regions.

struct Region {
  Code code;
  void* data;
  openmp::Team team;
  u32 depth;
};

extern "C" OMEN_NOINLINE void __omen_call_region(void* argument) {
  const Region region = *static_cast<Region*>(argument);
  {
    const openmp::Scope scope(openmp::member_of(region.team, region.depth));
    openmp::acquire(region.team.fork(), 0);
    region.code(region.data);
  }
  openmp::release(region.team.end(), 0);
}

/// The remaining arguments: numbers of threads, bounds of loops, flags.
using Parallel = unsigned(Code, void*, long, long, long, long, long, long);

OMEN_INLINE unsigned parallel(Parallel* real, Code code, void* data, long a, long b, long c, long d, long e, long f,
                              uptr pc) {
  Region region{code, data, openmp::new_team(), openmp::depth() + 1};
  openmp::release(region.team.fork(), pc);
  unsigned result = 0;
  {
    const InLibrary inside(recording_thread());
    result = real(__omen_call_region, &region, a, b, c, d, e, f);
  }
  openmp::leave_region(region.team, pc);
  return result;
}

#define OMEN_PARALLEL(name)                                                                     \
  constinit Original<Parallel> real_##name;                                                     \
  unsigned hook_##name(Code code, void* data, long a, long b, long c, long d, long e, long f) { \
    return parallel(real_##name.get(), code, data, a, b, c, d, e, f, OMEN_PLACE);               \
  }
OMEN_PARALLEL(GOMP_parallel)
OMEN_PARALLEL(GOMP_parallel_reductions)
OMEN_PARALLEL(GOMP_parallel_sections)
OMEN_PARALLEL(GOMP_parallel_loop_static)
OMEN_PARALLEL(GOMP_parallel_loop_dynamic)
OMEN_PARALLEL(GOMP_parallel_loop_guided)
OMEN_PARALLEL(GOMP_parallel_loop_runtime)
OMEN_PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic)
OMEN_PARALLEL(GOMP_parallel_loop_nonmonotonic_guided)
OMEN_PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime)
OMEN_PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// Barriers: alone, and at the ends of loops and sections.

using Barrier = bool(bool);

OMEN_INLINE bool barrier(Barrier* real, bool argument, uptr pc) {
  openmp::arrive_at_barrier(pc);
  bool result = false;
  {
    const InLibrary inside(recording_thread());
    result = real(argument);
  }
  openmp::leave_barrier(pc);
  return result;
}

#define OMEN_BARRIER(name)                                   \
  constinit Original<Barrier> real_##name;                   \
  bool hook_##name(bool argument) {                          \
    return barrier(real_##name.get(), argument, OMEN_PLACE); \
  }
OMEN_BARRIER(GOMP_barrier)
OMEN_BARRIER(GOMP_barrier_cancel)
OMEN_BARRIER(GOMP_loop_end)
OMEN_BARRIER(GOMP_loop_end_cancel)
OMEN_BARRIER(GOMP_sections_end)
OMEN_BARRIER(GOMP_sections_end_cancel)
OMEN_BARRIER(GOMP_workshare_task_reduction_unregister)

// `single copyprivate`: the thread that runs the block passes on the address of its data.

constinit Original<void*()> real_GOMP_single_copy_start;
void* hook_GOMP_single_copy_start() {
  void* const data = real_GOMP_single_copy_start.get()();
  if (data != nullptr) openmp::acquire(openmp::current_team().copy(), OMEN_PLACE);
  return data;
}
constinit Original<void(void*)> real_GOMP_single_copy_end;
void hook_GOMP_single_copy_end(void* data) {
  if (openmp::current_team().base != 0) openmp::release(openmp::current_team().copy(), OMEN_PLACE);
  real_GOMP_single_copy_end.get()(data);
}

// `ordered`: an iteration that waits for others by their numbers is ordered after all iterations that have been posted.

constinit Original<void()> real_GOMP_ordered_start;
void hook_GOMP_ordered_start() {
  real_GOMP_ordered_start.get()();
  if (openmp::current_team().base != 0) openmp::acquire(openmp::current_team().ordered(), OMEN_PLACE);
}
constinit Original<void()> real_GOMP_ordered_end;
void hook_GOMP_ordered_end() {
  if (openmp::current_team().base != 0) openmp::release(openmp::current_team().ordered(), OMEN_PLACE);
  real_GOMP_ordered_end.get()();
}
#define OMEN_POST(name)                                                                                  \
  constinit Original<void(void*)> real_##name;                                                           \
  void hook_##name(void* counts) {                                                                       \
    if (openmp::current_team().base != 0) openmp::release(openmp::current_team().ordered(), OMEN_PLACE); \
    real_##name.get()(counts);                                                                           \
  }
OMEN_POST(GOMP_doacross_post)
OMEN_POST(GOMP_doacross_ull_post)
/// Variadic: one number for each loop of the nest. Passing more than there are is harmless.
using DoacrossWait = void(long, long, long, long, long, long, long, long, long, long);
#define OMEN_DOACROSS_WAIT(name)                                                                         \
  constinit Original<DoacrossWait> real_##name;                                                          \
  void hook_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {     \
    real_##name.get()(a, b, c, d, e, f, g, h, i, j);                                                     \
    if (openmp::current_team().base != 0) openmp::acquire(openmp::current_team().ordered(), OMEN_PLACE); \
  }
OMEN_DOACROSS_WAIT(GOMP_doacross_wait)
OMEN_DOACROSS_WAIT(GOMP_doacross_ull_wait)

// Tasks. libgomp copies a task's data into a block of its own. It reads and writes the first words of the data: a
// loop's
// task has its bounds in two of them and a pointer for its reductions in the third; a detachable task has its event in
// the first. The block that it makes for a hooked task has this layout:
//
//     TaskHeader   those words first
//     Dependence × dependences
//     the program's data, aligned as the program asks

struct TaskHeader {
  long words[3];
  Code code;
  openmp::TaskOrigin origin;
  u64 dependences;
  u64 data_offset;
  u32 written;  ///< bytes at the beginning of the program's data that libgomp writes

  openmp::Dependence* dependence() { return reinterpret_cast<openmp::Dependence*>(this + 1); }
  char* data() { return reinterpret_cast<char*>(this) + data_offset; }
};

/// The argument of `copy_task`, made by the creator's call.
struct NewTask {
  TaskHeader header;
  void** depend;
  void* data;
  u64 bytes;
  Copy copy;
};

/// The array that the compiler passes has one of two forms:
///
///     number, how many write, addresses…
///     0, number, how many write, how many exclude each other, how many read, addresses…, pointers to
///        {address, kind}…
struct Dependences {
  explicit Dependences(void** array) {
    if (array == nullptr) return;
    const auto number = [&](u32 i) { return reinterpret_cast<u64>(array[i]); };
    if (number(0) != 0) {
      count = named = number(0);
      writers = number(1);
      addresses = array + 2;
      return;
    }
    count = number(1);
    writers = number(2) + number(3);
    named = writers + number(4);
    addresses = array + 5;
  }
  openmp::Dependence at(u64 i) const {
    if (i < named) return {reinterpret_cast<uptr>(addresses[i]), i < writers};
    void* const* const object = static_cast<void**>(addresses[i]);
    constexpr u64 kReads = 1;
    return {reinterpret_cast<uptr>(object[0]), reinterpret_cast<u64>(object[1]) != kReads};
  }

  u64 count = 0;
  u64 named = 0;
  u64 writers = 0;
  void** addresses = nullptr;
};

void copy_task(void* to, void* from) {
  const auto& task = *static_cast<NewTask*>(from);
  auto* const header = static_cast<TaskHeader*>(to);
  *header = task.header;
  const Dependences depend(task.depend);
  for (u64 i = 0; i < depend.count; ++i) header->dependence()[i] = depend.at(i);
  if (task.copy != nullptr) {
    const openmp::Scope scope(openmp::task_context(task.header.origin));
    task.copy(header->data(), task.data);
  } else {
    copy_bytes(header->data(), task.data, task.bytes);
  }
}

extern "C" OMEN_NOINLINE void __omen_call_task(void* block) {
  auto* const header = static_cast<TaskHeader*>(block);
  copy_bytes(header->data(), header->words, header->written);
  {
    const openmp::Scope scope(openmp::task_context(header->origin));
    openmp::begin_task(header->origin, header->dependence(), header->dependences);
    header->code(header->data());
  }
  openmp::end_task(header->origin, header->dependence(), header->dependences);
}

constexpr unsigned kDependFlag = 1U << 3;
constexpr unsigned kNoGroupFlag = 1U << 11;
constexpr unsigned kDetachFlag = 1U << 13;
constexpr u32 kBounds = 2 * sizeof(long);
constexpr u32 kEvent = sizeof(void*);

/// Returns the size and alignment of the task's block in `bytes` and `alignment`.
NewTask new_task(Code code, void* data, Copy copy, long& bytes, long& alignment, void** depend, u32 written, uptr pc) {
  if (alignment < static_cast<long>(alignof(TaskHeader))) alignment = alignof(TaskHeader);
  NewTask task{};
  task.depend = depend;
  task.data = data;
  task.bytes = static_cast<u64>(bytes);
  task.copy = copy;
  TaskHeader& header = task.header;
  header.code = code;
  header.written = written;
  const u64 given = bytes < static_cast<long>(sizeof header.words) ? static_cast<u64>(bytes) : sizeof header.words;
  copy_bytes(header.words, data, given);
  header.dependences = Dependences(depend).count;
  const u64 ahead = sizeof(TaskHeader) + header.dependences * sizeof(openmp::Dependence);
  const auto aligned = static_cast<u64>(alignment);
  header.data_offset = (ahead + aligned - 1) / aligned * aligned;
  bytes += static_cast<long>(header.data_offset);
  header.origin = openmp::create_task(pc);
  return task;
}

using Task = void(Code, void*, Copy, long, long, bool, unsigned, void**, int, void*);
constinit Original<Task> real_GOMP_task;
void hook_GOMP_task(Code code, void* data, Copy copy, long bytes, long alignment, bool condition, unsigned flags,
                    void** depend, int priority, void* detach) {
  void** const used = (flags & kDependFlag) != 0 ? depend : nullptr;
  const bool detaches = (flags & kDetachFlag) != 0;
  if (detaches) openmp::expect_events();
  NewTask task = new_task(code, data, copy, bytes, alignment, used, detaches && bytes != 0 ? kEvent : 0, OMEN_PLACE);
  const InLibrary inside(recording_thread());
  real_GOMP_task.get()(__omen_call_task, &task, copy_task, bytes, alignment, condition, flags, depend, priority,
                       detach);
}

using Taskloop = void(Code, void*, Copy, long, long, unsigned, unsigned long, int, long, long, long);
OMEN_INLINE void taskloop(Taskloop* real, Code code, void* data, Copy copy, long bytes, long alignment, unsigned flags,
                          unsigned long tasks, int priority, long start, long end, long step, uptr pc) {
  const bool groups = (flags & kNoGroupFlag) == 0;
  if (groups) openmp::begin_group();
  NewTask task = new_task(code, data, copy, bytes, alignment, nullptr, kBounds, pc);
  {
    const InLibrary inside(recording_thread());
    real(__omen_call_task, &task, copy_task, bytes, alignment, flags, tasks, priority, start, end, step);
  }
  if (groups) openmp::end_group(pc);
}
#define OMEN_TASKLOOP(name)                                                                                           \
  constinit Original<Taskloop> real_##name;                                                                           \
  void hook_##name(Code code, void* data, Copy copy, long bytes, long alignment, unsigned flags, unsigned long tasks, \
                   int priority, long start, long end, long step) {                                                   \
    taskloop(real_##name.get(), code, data, copy, bytes, alignment, flags, tasks, priority, start, end, step,         \
             OMEN_PLACE);                                                                                             \
  }
OMEN_TASKLOOP(GOMP_taskloop)
OMEN_TASKLOOP(GOMP_taskloop_ull)

constinit Original<void(void*)> real_omp_fulfill_event;
void hook_omp_fulfill_event(void* event) {
  openmp::fulfill_event(OMEN_PLACE);
  const InLibrary inside(recording_thread());  // the call may free the task
  real_omp_fulfill_event.get()(event);
}

constinit Original<void()> real_GOMP_taskwait;
void hook_GOMP_taskwait() {
  {
    const InLibrary inside(recording_thread());
    real_GOMP_taskwait.get()();
  }
  openmp::join_children(OMEN_PLACE);
}
constinit Original<void(void**)> real_GOMP_taskwait_depend;
void hook_GOMP_taskwait_depend(void** depend) {
  {
    const InLibrary inside(recording_thread());
    real_GOMP_taskwait_depend.get()(depend);
  }
  const Dependences dependences(depend);
  for (u64 i = 0; i < dependences.count; ++i) {
    const openmp::Dependence dependence = dependences.at(i);
    openmp::acquire_dependences(&dependence, 1, OMEN_PLACE);
  }
}
constinit Original<void()> real_GOMP_taskgroup_start;
void hook_GOMP_taskgroup_start() {
  real_GOMP_taskgroup_start.get()();
  openmp::begin_group();
}
constinit Original<void()> real_GOMP_taskgroup_end;
void hook_GOMP_taskgroup_end() {
  {
    const InLibrary inside(recording_thread());
    real_GOMP_taskgroup_end.get()();
  }
  openmp::end_group(OMEN_PLACE);
}

// Locks.

void step(RawOp op, const void* lock, u32 detail, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(lock), detail, pc);
  }
}

int unnamed_critical;  // the one critical section without a name
int all_atomics;       // the lock of `atomic` where the processor has no such operation

#define OMEN_SECTION(start, end, lock)         \
  constinit Original<void()> real_##start;     \
  void hook_##start() {                        \
    real_##start.get()();                      \
    step(RawOp::Acquire, lock, 0, OMEN_PLACE); \
  }                                            \
  constinit Original<void()> real_##end;       \
  void hook_##end() {                          \
    step(RawOp::Release, lock, 0, OMEN_PLACE); \
    real_##end.get()();                        \
  }
OMEN_SECTION(GOMP_critical_start, GOMP_critical_end, &unnamed_critical)
OMEN_SECTION(GOMP_atomic_start, GOMP_atomic_end, &all_atomics)

#define OMEN_ON_LOCK(name, before, after)      \
  constinit Original<void(void*)> real_##name; \
  void hook_##name(void* lock) {               \
    before;                                    \
    real_##name.get()(lock);                   \
    after;                                     \
  }
#define OMEN_TAKE(name) OMEN_ON_LOCK(name, , step(RawOp::Acquire, lock, 0, OMEN_PLACE))
#define OMEN_GIVE(name) OMEN_ON_LOCK(name, step(RawOp::Release, lock, 0, OMEN_PLACE), )
#define OMEN_FORGET(name) OMEN_ON_LOCK(name, step(RawOp::LockForget, lock, 0, OMEN_PLACE), )
#define OMEN_TRY(name)                                                                       \
  constinit Original<int(void*)> real_##name;                                                \
  int hook_##name(void* lock) {                                                              \
    const int taken = real_##name.get()(lock);                                               \
    if (taken != 0) {                                                                        \
      step(RawOp::Acquire, lock, 1, OMEN_PLACE);                                             \
    } else if (ThreadState* const thread = recording_thread()) {                             \
      recorder.refused(thread, RawOp::Refused, reinterpret_cast<uptr>(lock), 0, OMEN_PLACE); \
    }                                                                                        \
    return taken;                                                                            \
  }
OMEN_TAKE(GOMP_critical_name_start)
OMEN_GIVE(GOMP_critical_name_end)
OMEN_TAKE(omp_set_lock)
OMEN_GIVE(omp_unset_lock)
OMEN_TRY(omp_test_lock)
OMEN_FORGET(omp_destroy_lock)
OMEN_TAKE(omp_set_nest_lock)
OMEN_GIVE(omp_unset_nest_lock)
OMEN_TRY(omp_test_nest_lock)
OMEN_FORGET(omp_destroy_nest_lock)

}  // namespace

namespace omen::rt {

#define OMEN_HOOKED(name) {#name, reinterpret_cast<void (*)()>(&hook_##name), &real_##name.address}
const LibraryHook libgomp_hooks[] = {
    OMEN_HOOKED(GOMP_parallel),
    OMEN_HOOKED(GOMP_parallel_reductions),
    OMEN_HOOKED(GOMP_parallel_sections),
    OMEN_HOOKED(GOMP_parallel_loop_static),
    OMEN_HOOKED(GOMP_parallel_loop_dynamic),
    OMEN_HOOKED(GOMP_parallel_loop_guided),
    OMEN_HOOKED(GOMP_parallel_loop_runtime),
    OMEN_HOOKED(GOMP_parallel_loop_nonmonotonic_dynamic),
    OMEN_HOOKED(GOMP_parallel_loop_nonmonotonic_guided),
    OMEN_HOOKED(GOMP_parallel_loop_nonmonotonic_runtime),
    OMEN_HOOKED(GOMP_parallel_loop_maybe_nonmonotonic_runtime),
    OMEN_HOOKED(GOMP_barrier),
    OMEN_HOOKED(GOMP_barrier_cancel),
    OMEN_HOOKED(GOMP_loop_end),
    OMEN_HOOKED(GOMP_loop_end_cancel),
    OMEN_HOOKED(GOMP_sections_end),
    OMEN_HOOKED(GOMP_sections_end_cancel),
    OMEN_HOOKED(GOMP_workshare_task_reduction_unregister),
    OMEN_HOOKED(GOMP_single_copy_start),
    OMEN_HOOKED(GOMP_single_copy_end),
    OMEN_HOOKED(GOMP_ordered_start),
    OMEN_HOOKED(GOMP_ordered_end),
    OMEN_HOOKED(GOMP_doacross_post),
    OMEN_HOOKED(GOMP_doacross_ull_post),
    OMEN_HOOKED(GOMP_doacross_wait),
    OMEN_HOOKED(GOMP_doacross_ull_wait),
    OMEN_HOOKED(GOMP_task),
    OMEN_HOOKED(GOMP_taskloop),
    OMEN_HOOKED(GOMP_taskloop_ull),
    OMEN_HOOKED(omp_fulfill_event),
    OMEN_HOOKED(GOMP_taskwait),
    OMEN_HOOKED(GOMP_taskwait_depend),
    OMEN_HOOKED(GOMP_taskgroup_start),
    OMEN_HOOKED(GOMP_taskgroup_end),
    OMEN_HOOKED(GOMP_critical_start),
    OMEN_HOOKED(GOMP_critical_end),
    OMEN_HOOKED(GOMP_critical_name_start),
    OMEN_HOOKED(GOMP_critical_name_end),
    OMEN_HOOKED(GOMP_atomic_start),
    OMEN_HOOKED(GOMP_atomic_end),
    OMEN_HOOKED(omp_set_lock),
    OMEN_HOOKED(omp_unset_lock),
    OMEN_HOOKED(omp_test_lock),
    OMEN_HOOKED(omp_destroy_lock),
    OMEN_HOOKED(omp_set_nest_lock),
    OMEN_HOOKED(omp_unset_nest_lock),
    OMEN_HOOKED(omp_test_nest_lock),
    OMEN_HOOKED(omp_destroy_nest_lock),
};
const u32 libgomp_hook_count = sizeof libgomp_hooks / sizeof libgomp_hooks[0];
#undef OMEN_HOOKED

}  // namespace omen::rt
