#include "capture/runtime/foreign/tbb_hooks.hpp"

#include <cstddef>

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/original.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

extern "C" u64 __tsan_atomic64_load(const volatile u64* p, int order);

namespace {

#define OMEN_PLACE reinterpret_cast<uptr>(__builtin_return_address(0))

void release(const void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, RawOp::SyncRelease, reinterpret_cast<uptr>(object), 0, pc);
  }
}
void acquire(const void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, RawOp::SyncAcquire, reinterpret_cast<uptr>(object), 0, pc);
  }
}

using Table = const uptr*;  ///< of virtual functions; the two words before it are offset and type information

/// A copy of a class's table with some functions replaced.
struct Shim {
  static constexpr u32 kFunctions = 16;  ///< more than libtbb calls

  Table original() const { return reinterpret_cast<Table>(of.load(std::memory_order_relaxed)); }

  std::atomic<uptr> of{0};  ///< the class's original table; 0: free
  uptr about[2] = {};       ///< offset to top, and type information
  uptr functions[kFunctions] = {};
};

/// Restores the object's original table, which a shim had replaced.
Table put_back(void* object) {
  auto** const place = static_cast<Table*>(object);
  const auto* const shim = reinterpret_cast<const Shim*>(reinterpret_cast<uptr>(*place) - offsetof(Shim, functions));
  *place = shim->original();
  return *place;
}

/// Shims by the table that they replace. There are as many as classes of tasks in the program.
class Shims {
 public:
  /// Gives the object a table with our function at each of the given positions, once. If the table is full, the object
  /// is called without a hook, and is not ordered.
  template <u32 count>
  void put(void* object, const u32 (&places)[count], void* const (&ours)[count]) {
    auto** const place = static_cast<Table*>(object);
    if (is_ours(*place)) return;
    const Shim* const shim = find(*place, places, ours);
    if (shim != nullptr) *place = shim->functions;
  }

 private:
  static constexpr u32 kShims = 1024;

  bool is_ours(Table table) const {
    return reinterpret_cast<uptr>(table) - reinterpret_cast<uptr>(shims_) < sizeof shims_;
  }

  template <u32 count>
  const Shim* find(Table table, const u32 (&places)[count], void* const (&ours)[count]) {
    const uptr key = reinterpret_cast<uptr>(table);
    for (u32 i = 0; i < kShims; ++i) {
      Shim& shim = shims_[(key / sizeof(uptr) * 0x9E3779B1U + i) % kShims];
      uptr of = shim.of.load(std::memory_order_acquire);
      if (of == 0) {
        const SpinGuard guard(filling_);
        of = shim.of.load(std::memory_order_relaxed);
        if (of == 0) {
          for (u32 k = 0; k < 2; ++k) shim.about[k] = table[static_cast<long>(k) - 2];
          for (u32 k = 0; k < Shim::kFunctions; ++k) shim.functions[k] = table[k];
          for (u32 k = 0; k < count; ++k) shim.functions[places[k]] = reinterpret_cast<uptr>(ours[k]);
          shim.of.store(key, std::memory_order_release);
          return &shim;
        }
      }
      if (of == key) return &shim;
    }
    return nullptr;
  }

  SpinLock filling_;
  Shim shims_[kShims] = {};
};
constinit Shims shims{};

// Tasks. Their virtual functions are two destructors, `execute` and `cancel`.

template <u32 place>
void* run_task(void* task, void* data) {
  const Table own = put_back(task);
  acquire(task, 0);
  return reinterpret_cast<void* (*)(void*, void*)>(own[place])(task, data);
}
constexpr u32 kExecute = 2, kCancel = 3;

void hand_over(void* task, uptr pc) {
  reach_hidden_state(pc);
  if (recording_thread() == nullptr) return;
  release(task, pc);
  shims.put(task, {kExecute, kCancel},
            {reinterpret_cast<void*>(&run_task<kExecute>), reinterpret_cast<void*>(&run_task<kCancel>)});
}

/// The tasks that a `wait_context` counts have ended: it consists of a word, then the count.
void waited_for(const u64* wait_context) {
  __tsan_atomic64_load(wait_context + 1, __ATOMIC_ACQUIRE);
}

// The callable that an arena executes: an object whose first virtual function is the call.

bool run_delegate(void* delegate) {
  const Table own = put_back(delegate);
  acquire(delegate, 0);
  const bool result = reinterpret_cast<bool (*)(void*)>(own[0])(delegate);
  release(delegate, 0);
  return result;
}

;

#define OMEN_HANDS_OVER(name, parameters, arguments) \
  constinit Original<void parameters> real_##name;   \
  void hook_##name parameters {                      \
    hand_over(task, OMEN_PLACE);                     \
    real_##name.get() arguments;                     \
  }
OMEN_HANDS_OVER(spawn, (void* task, void* context), (task, context))
OMEN_HANDS_OVER(spawn_at, (void* task, void* context, unsigned short slot), (task, context, slot))
OMEN_HANDS_OVER(submit, (void* task, void* context, void* arena, unsigned long critical),
                (task, context, arena, critical))
OMEN_HANDS_OVER(enqueue, (void* task, void* arena), (task, arena))
OMEN_HANDS_OVER(enqueue_in, (void* task, void* context, void* arena), (task, context, arena))

constinit Original<void(void*, void*, u64*, void*)> real_execute_and_wait;
void hook_execute_and_wait(void* task, void* context, u64* wait_context, void* waiting) {
  hand_over(task, OMEN_PLACE);
  real_execute_and_wait.get()(task, context, wait_context, waiting);
  waited_for(wait_context);
}

constinit Original<void(u64*, void*)> real_wait;
void hook_wait(u64* wait_context, void* context) {
  reach_hidden_state(OMEN_PLACE);
  real_wait.get()(wait_context, context);
  waited_for(wait_context);
}

constinit Original<void(void*, void*)> real_execute;
void hook_execute(void* arena, void* delegate) {
  const uptr pc = OMEN_PLACE;
  reach_hidden_state(pc);
  if (recording_thread() != nullptr) {
    release(delegate, pc);
    shims.put(delegate, {0}, {reinterpret_cast<void*>(&run_delegate)});
  }
  real_execute.get()(arena, delegate);
  acquire(delegate, pc);
}

// Memory.

void* begin_life(void* memory, unsigned long bytes) {
  if (ThreadState* const thread = recording_thread(); thread != nullptr && memory != nullptr) {
    recorder.memory(thread, RawOp::NewMemory, reinterpret_cast<uptr>(memory), bytes, 0);
  }
  return memory;
}
constinit Original<void*(void*, unsigned long)> real_allocate;
void* hook_allocate(void* pool, unsigned long bytes) {
  return begin_life(real_allocate.get()(pool, bytes), bytes);
}
constinit Original<void*(void*, unsigned long, const void*)> real_allocate_in;
void* hook_allocate_in(void* pool, unsigned long bytes, const void* data) {
  return begin_life(real_allocate_in.get()(pool, bytes, data), bytes);
}

}  // namespace

namespace omen::rt {

#define OMEN_HOOKED(symbol, name) \
  {"_ZN3tbb6detail2r1" symbol, reinterpret_cast<void (*)()>(&hook_##name), &real_##name.address}
const LibraryHook tbb_hooks[] = {
    OMEN_HOOKED("5spawnERNS0_2d14taskERNS2_18task_group_contextE", spawn),
    OMEN_HOOKED("5spawnERNS0_2d14taskERNS2_18task_group_contextEt", spawn_at),
    OMEN_HOOKED("6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm", submit),
    OMEN_HOOKED("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE", enqueue),
    OMEN_HOOKED("7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE", enqueue_in),
    OMEN_HOOKED("16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_", execute_and_wait),
    OMEN_HOOKED("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE", wait),
    OMEN_HOOKED("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE", execute),
    OMEN_HOOKED("8allocateERPNS0_2d117small_object_poolEm", allocate),
    OMEN_HOOKED("8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE", allocate_in),
};
const u32 tbb_hook_count = sizeof tbb_hooks / sizeof tbb_hooks[0];
#undef OMEN_HOOKED

}  // namespace omen::rt
