/// \file
/// `std::promise::set_value_at_thread_exit`: libstdc++ makes the shared state ready from a destructor of the ending
/// thread, in uninstrumented code. A thread that gets the value reads the state's status with an acquire; this file
/// reports the matching release. That code may also drop the last reference to the state, and so free memory that
/// others have used. So the runtime holds a reference across it, and drops it here, in reported operations.
#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

/// `std::_Sp_counted_base`. Its layout is part of libstdc++'s ABI, like that of the two below.
struct Counter {
  void (*const* functions)(Counter*);
  int uses;
  int weak;

  static constexpr u32 kDispose = 2;  ///< destroys the object, in code of the program
  static constexpr u32 kDestroy = 3;  ///< destroys the counter
  void call(u32 function) { functions[function](this); }
};

/// `std::__future_base::_State_baseV2::_Make_ready`.
struct MakeReady {
  MakeReady* next;
  void (*callback)(void*);
  char* state;  ///< its `_M_status` follows the vtable pointer and the result
  Counter* counter;
};
constexpr uptr kStatusInState = 16;

std::atomic<void (*)(void*)> make_ready{nullptr};

void record(RawOp op, const void* object) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), 0, OMEN_CALLER);
  }
}

/// As `std::weak_ptr::lock`. False: the object no longer exists.
bool add_use(Counter& counter) {
  int uses = __atomic_load_n(&counter.uses, __ATOMIC_RELAXED);
  while (uses != 0) {
    if (__atomic_compare_exchange_n(&counter.uses, &uses, uses + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

/// True: it was the last reference. Ordered after all earlier releases of references, and before all later ones.
bool give_up(int& count) {
  record(RawOp::SyncRelease, &count);
  if (__atomic_fetch_sub(&count, 1, __ATOMIC_ACQ_REL) != 1) return false;
  record(RawOp::SyncAcquire, &count);
  return true;
}

void at_thread_exit(void* memory) {
  auto& ready = *static_cast<MakeReady*>(memory);
  Counter* const counter = ready.counter;
  bool used = false;
  if (counter != nullptr) {
    __atomic_fetch_add(&counter->weak, 1, __ATOMIC_RELAXED);  // `ready` holds one
    used = add_use(*counter);
  }
  if (used) record(RawOp::SyncRelease, ready.state + kStatusInState);
  make_ready.load(std::memory_order_relaxed)(memory);  // this frees `ready`
  if (used && give_up(counter->uses)) {
    counter->call(Counter::kDispose);
    if (give_up(counter->weak)) counter->call(Counter::kDestroy);  // the weak count that all uses share
  }
  if (counter != nullptr && give_up(counter->weak)) counter->call(Counter::kDestroy);
}

}  // namespace

OMEN_INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void* self)) {
  OMEN_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(self);
  auto& ready = *static_cast<MakeReady*>(self);
  if (recording_thread() == nullptr || ready.callback == at_thread_exit) return;
  make_ready.store(ready.callback, std::memory_order_relaxed);  // the same function for all
  ready.callback = at_thread_exit;
}
