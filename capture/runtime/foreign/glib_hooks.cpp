#include "capture/runtime/foreign/glib_hooks.hpp"

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/foreign/original.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

extern "C" {
int __tsan_atomic32_load(const volatile int* p, int order);
int __tsan_atomic32_fetch_add(volatile int* p, int value, int order);
u64 __tsan_atomic64_load(const volatile u64* p, int order);
u64 __tsan_atomic64_fetch_add(volatile u64* p, u64 value, int order);
}

namespace {

#define OMEN_PLACE reinterpret_cast<uptr>(__builtin_return_address(0))

void note(RawOp op, const volatile void* object, uptr pc, u32 detail = 0) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), detail, pc);
  }
}
void release(const volatile void* object, uptr pc) {
  note(RawOp::SyncRelease, object, pc);
}
void acquire(const volatile void* object, uptr pc) {
  note(RawOp::SyncAcquire, object, pc);
}

// Mutexes and conditions.

constinit Original<void(void*)> real_mutex_lock;
void hook_mutex_lock(void* mutex) {
  real_mutex_lock.get()(mutex);
  note(RawOp::Acquire, mutex, OMEN_PLACE);
}
constinit Original<int(void*)> real_mutex_trylock;
int hook_mutex_trylock(void* mutex) {
  const int taken = real_mutex_trylock.get()(mutex);
  if (taken != 0) {
    note(RawOp::Acquire, mutex, OMEN_PLACE, /*detail: an attempt*/ 1);
  } else if (ThreadState* const thread = recording_thread()) {
    recorder.refused(thread, RawOp::Refused, reinterpret_cast<uptr>(mutex), 0, OMEN_PLACE);
  }
  return taken;
}
constinit Original<void(void*)> real_mutex_unlock;
void hook_mutex_unlock(void* mutex) {
  note(RawOp::Release, mutex, OMEN_PLACE);
  real_mutex_unlock.get()(mutex);
}
constinit Original<void(void*)> real_mutex_clear;
void hook_mutex_clear(void* mutex) {
  note(RawOp::LockForget, mutex, OMEN_PLACE);
  real_mutex_clear.get()(mutex);
}

constinit Original<void(void*, void*)> real_cond_wait;
void hook_cond_wait(void* condition, void* mutex) {
  note(RawOp::Release, mutex, OMEN_PLACE);
  real_cond_wait.get()(condition, mutex);
  note(RawOp::Acquire, mutex, OMEN_PLACE);
}
constinit Original<int(void*, void*, long)> real_cond_wait_until;
int hook_cond_wait_until(void* condition, void* mutex, long end) {
  note(RawOp::Release, mutex, OMEN_PLACE);
  const int signalled = real_cond_wait_until.get()(condition, mutex, end);
  note(RawOp::Acquire, mutex, OMEN_PLACE);
  return signalled;
}

// What is done once. Adding 0 to the atomic is a release without a change.

struct Once {
  volatile int status;
  void* result;
};
struct OnceCall {
  Once* once;
  void* (*function)(void*);
  void* argument;
};
void* run_once(void* argument) {
  const auto& call = *static_cast<const OnceCall*>(argument);
  void* const result = call.function(call.argument);
  __tsan_atomic32_fetch_add(&call.once->status, 0, __ATOMIC_RELEASE);
  return result;
}
constinit Original<void*(Once*, void* (*)(void*), void*)> real_once_impl;
void* hook_once_impl(Once* once, void* (*function)(void*), void* argument) {
  OnceCall call{once, function, argument};
  void* const result = real_once_impl.get()(once, &run_once, &call);
  __tsan_atomic32_load(&once->status, __ATOMIC_ACQUIRE);
  return result;
}
constinit Original<int(volatile u64*)> real_once_init_enter;
int hook_once_init_enter(volatile u64* place) {
  const int is_first = real_once_init_enter.get()(place);
  __tsan_atomic64_load(place, __ATOMIC_ACQUIRE);
  return is_first;
}
constinit Original<void(volatile u64*, u64)> real_once_init_leave;
void hook_once_init_leave(volatile u64* place, u64 value) {
  __tsan_atomic64_fetch_add(place, 0, __ATOMIC_RELEASE);
  real_once_init_leave.get()(place, value);
}

// Bit locks. Several may share a word, so they are no locks of the word: they only order.

#define OMEN_BIT_LOCK(name)                                  \
  constinit Original<void(volatile void*, int)> real_##name; \
  void hook_##name(volatile void* word, int bit) {           \
    reach_hidden_state(OMEN_PLACE);                          \
    real_##name.get()(word, bit);                            \
    acquire(word, OMEN_PLACE);                               \
  }
#define OMEN_BIT_TRYLOCK(name)                              \
  constinit Original<int(volatile void*, int)> real_##name; \
  int hook_##name(volatile void* word, int bit) {           \
    reach_hidden_state(OMEN_PLACE);                         \
    const int taken = real_##name.get()(word, bit);         \
    if (taken != 0) acquire(word, OMEN_PLACE);              \
    return taken;                                           \
  }
#define OMEN_BIT_UNLOCK(name)                                \
  constinit Original<void(volatile void*, int)> real_##name; \
  void hook_##name(volatile void* word, int bit) {           \
    release(word, OMEN_PLACE);                               \
    real_##name.get()(word, bit);                            \
  }
OMEN_BIT_LOCK(bit_lock)
OMEN_BIT_TRYLOCK(bit_trylock)
OMEN_BIT_UNLOCK(bit_unlock)
OMEN_BIT_LOCK(pointer_bit_lock)
OMEN_BIT_TRYLOCK(pointer_bit_trylock)
OMEN_BIT_UNLOCK(pointer_bit_unlock)

// Asynchronous queues. The lock of a queue is its first word, its order the second.

void* order_of(void* queue) {
  return static_cast<char*>(queue) + sizeof(void*);
}

#define OMEN_PUSH(name, parameters, arguments)     \
  constinit Original<void parameters> real_##name; \
  void hook_##name parameters {                    \
    reach_hidden_state(OMEN_PLACE);                \
    release(order_of(queue), OMEN_PLACE);          \
    real_##name.get() arguments;                   \
  }
#define OMEN_POP(name, parameters, arguments)        \
  constinit Original<void * parameters> real_##name; \
  void* hook_##name parameters {                     \
    reach_hidden_state(OMEN_PLACE);                  \
    void* const item = real_##name.get() arguments;  \
    acquire(order_of(queue), OMEN_PLACE);            \
    return item;                                     \
  }
OMEN_PUSH(queue_push, (void* queue, void* item), (queue, item))
OMEN_PUSH(queue_push_unlocked, (void* queue, void* item), (queue, item))
OMEN_PUSH(queue_push_front, (void* queue, void* item), (queue, item))
OMEN_PUSH(queue_push_front_unlocked, (void* queue, void* item), (queue, item))
OMEN_PUSH(queue_push_sorted, (void* queue, void* item, void* compare, void* data), (queue, item, compare, data))
OMEN_PUSH(queue_push_sorted_unlocked, (void* queue, void* item, void* compare, void* data),
          (queue, item, compare, data))
OMEN_POP(queue_pop, (void* queue), (queue))
OMEN_POP(queue_pop_unlocked, (void* queue), (queue))
OMEN_POP(queue_try_pop, (void* queue), (queue))
OMEN_POP(queue_try_pop_unlocked, (void* queue), (queue))
OMEN_POP(queue_timeout_pop, (void* queue, u64 time), (queue, time))
OMEN_POP(queue_timeout_pop_unlocked, (void* queue, u64 time), (queue, time))

constinit Original<void(void*)> real_queue_lock;
void hook_queue_lock(void* queue) {
  real_queue_lock.get()(queue);
  note(RawOp::Acquire, queue, OMEN_PLACE);
}
constinit Original<void(void*)> real_queue_unlock;
void hook_queue_unlock(void* queue) {
  note(RawOp::Release, queue, OMEN_PLACE);
  real_queue_unlock.get()(queue);
}

// Thread pools.

struct Pool {  ///< the public part of GThreadPool
  void (*function)(void*, void*);
  void* data;
};

/// What a pool calls in place of the program's function. Its members also stand for two orders: from pushes to tasks,
/// and from tasks to the end of the pool. Tasks are not ordered among each other.
struct PoolTask {
  const void* pushed() const { return &function; }
  const void* ended() const { return &data; }

  std::atomic<bool> taken;
  void (*function)(void*, void*);
  void* data;
};
constexpr u32 kPools = 1024;
constinit PoolTask pool_tasks[kPools] = {};

void run_pool_task(void* item, void* task) {
  const auto& pool = *static_cast<const PoolTask*>(task);
  acquire(pool.pushed(), 0);
  pool.function(item, pool.data);
  release(pool.ended(), 0);
}

/// Null if there are too many pools: their tasks are not ordered after the push.
PoolTask* pool_task(void (*function)(void*, void*), void* data) {
  for (PoolTask& task : pool_tasks) {
    if (task.taken.load(std::memory_order_relaxed) || task.taken.exchange(true)) continue;
    task.function = function;
    task.data = data;
    return &task;
  }
  return nullptr;
}

PoolTask* task_of(const Pool* pool) {
  return pool != nullptr && pool->function == &run_pool_task ? static_cast<PoolTask*>(pool->data) : nullptr;
}

/// `create(function, data)` makes the pool.
template <class Create>
Pool* create_pool(void (*function)(void*, void*), void* data, Create create) {
  PoolTask* const task = recording_thread() == nullptr ? nullptr : pool_task(function, data);
  if (task == nullptr) return create(function, data);
  Pool* const pool = create(&run_pool_task, task);
  if (pool == nullptr) task->taken.store(false);
  return pool;
}

constinit Original<Pool*(void (*)(void*, void*), void*, int, int, void*)> real_pool_new;
Pool* hook_pool_new(void (*function)(void*, void*), void* data, int threads, int exclusive, void* error) {
  reach_hidden_state(OMEN_PLACE);
  return create_pool(function, data, [&](auto* called, void* with) {
    return real_pool_new.get()(called, with, threads, exclusive, error);
  });
}
constinit Original<Pool*(void (*)(void*, void*), void*, void*, int, int, void*)> real_pool_new_full;
Pool* hook_pool_new_full(void (*function)(void*, void*), void* data, void* free_item, int threads, int exclusive,
                         void* error) {
  reach_hidden_state(OMEN_PLACE);
  return create_pool(function, data, [&](auto* called, void* with) {
    return real_pool_new_full.get()(called, with, free_item, threads, exclusive, error);
  });
}
constinit Original<int(Pool*, void*, void*)> real_pool_push;
int hook_pool_push(Pool* pool, void* item, void* error) {
  reach_hidden_state(OMEN_PLACE);
  if (const PoolTask* const task = task_of(pool)) release(task->pushed(), OMEN_PLACE);
  return real_pool_push.get()(pool, item, error);
}
constinit Original<void(Pool*, int, int)> real_pool_free;
void hook_pool_free(Pool* pool, int immediate, int wait) {
  reach_hidden_state(OMEN_PLACE);
  PoolTask* const task = task_of(pool);
  real_pool_free.get()(pool, immediate, wait);
  if (task == nullptr || wait == 0) return;  // tasks may still run
  acquire(task->ended(), OMEN_PLACE);
  task->taken.store(false);
}

// Main loops. Sources are attached under a lock of GLib, and the loop polls before it dispatches them. One order stands
// for all loops.

constinit std::atomic<bool> any_source{false};

/// Arguments in registers are passed through; there are at most five, none of them a float.
#define OMEN_ATTACH(name)                                            \
  constinit Original<u64(u64, u64, u64, u64, u64)> real_##name;      \
  u64 hook_##name(u64 one, u64 two, u64 three, u64 four, u64 five) { \
    reach_hidden_state(OMEN_PLACE);                                  \
    any_source.store(true, std::memory_order_relaxed);               \
    release(&any_source, OMEN_PLACE);                                \
    return real_##name.get()(one, two, three, four, five);           \
  }
OMEN_ATTACH(idle_add)
OMEN_ATTACH(idle_add_full)
OMEN_ATTACH(idle_add_once)
OMEN_ATTACH(timeout_add)
OMEN_ATTACH(timeout_add_full)
OMEN_ATTACH(timeout_add_once)
OMEN_ATTACH(timeout_add_seconds)
OMEN_ATTACH(timeout_add_seconds_full)
OMEN_ATTACH(source_attach)
OMEN_ATTACH(main_context_invoke)
OMEN_ATTACH(main_context_invoke_full)

}  // namespace

namespace omen::rt {

void polled_by_main_loop(uptr pc) {
  if (!any_source.load(std::memory_order_relaxed) || origin_of(pc) != Origin::Foreign) return;
  acquire(&any_source, pc);
}

#define OMEN_HOOKED(symbol, name) {"g_" symbol, reinterpret_cast<void (*)()>(&hook_##name), &real_##name.address}
const LibraryHook glib_hooks[] = {
    OMEN_HOOKED("mutex_lock", mutex_lock),
    OMEN_HOOKED("mutex_trylock", mutex_trylock),
    OMEN_HOOKED("mutex_unlock", mutex_unlock),
    OMEN_HOOKED("mutex_clear", mutex_clear),
    OMEN_HOOKED("cond_wait", cond_wait),
    OMEN_HOOKED("cond_wait_until", cond_wait_until),
    OMEN_HOOKED("once_impl", once_impl),
    OMEN_HOOKED("once_init_enter", once_init_enter),
    OMEN_HOOKED("once_init_leave", once_init_leave),
    OMEN_HOOKED("bit_lock", bit_lock),
    OMEN_HOOKED("bit_trylock", bit_trylock),
    OMEN_HOOKED("bit_unlock", bit_unlock),
    OMEN_HOOKED("pointer_bit_lock", pointer_bit_lock),
    OMEN_HOOKED("pointer_bit_trylock", pointer_bit_trylock),
    OMEN_HOOKED("pointer_bit_unlock", pointer_bit_unlock),
    OMEN_HOOKED("async_queue_push", queue_push),
    OMEN_HOOKED("async_queue_push_unlocked", queue_push_unlocked),
    OMEN_HOOKED("async_queue_push_front", queue_push_front),
    OMEN_HOOKED("async_queue_push_front_unlocked", queue_push_front_unlocked),
    OMEN_HOOKED("async_queue_push_sorted", queue_push_sorted),
    OMEN_HOOKED("async_queue_push_sorted_unlocked", queue_push_sorted_unlocked),
    OMEN_HOOKED("async_queue_pop", queue_pop),
    OMEN_HOOKED("async_queue_pop_unlocked", queue_pop_unlocked),
    OMEN_HOOKED("async_queue_try_pop", queue_try_pop),
    OMEN_HOOKED("async_queue_try_pop_unlocked", queue_try_pop_unlocked),
    OMEN_HOOKED("async_queue_timeout_pop", queue_timeout_pop),
    OMEN_HOOKED("async_queue_timeout_pop_unlocked", queue_timeout_pop_unlocked),
    OMEN_HOOKED("async_queue_lock", queue_lock),
    OMEN_HOOKED("async_queue_unlock", queue_unlock),
    OMEN_HOOKED("thread_pool_new", pool_new),
    OMEN_HOOKED("thread_pool_new_full", pool_new_full),
    OMEN_HOOKED("thread_pool_push", pool_push),
    OMEN_HOOKED("thread_pool_free", pool_free),
    OMEN_HOOKED("idle_add", idle_add),
    OMEN_HOOKED("idle_add_full", idle_add_full),
    OMEN_HOOKED("idle_add_once", idle_add_once),
    OMEN_HOOKED("timeout_add", timeout_add),
    OMEN_HOOKED("timeout_add_full", timeout_add_full),
    OMEN_HOOKED("timeout_add_once", timeout_add_once),
    OMEN_HOOKED("timeout_add_seconds", timeout_add_seconds),
    OMEN_HOOKED("timeout_add_seconds_full", timeout_add_seconds_full),
    OMEN_HOOKED("source_attach", source_attach),
    OMEN_HOOKED("main_context_invoke", main_context_invoke),
    OMEN_HOOKED("main_context_invoke_full", main_context_invoke_full),
};
const u32 glib_hook_count = sizeof glib_hooks / sizeof glib_hooks[0];
#undef OMEN_HOOKED

}  // namespace omen::rt
