/// \file
/// `std::promise::set_value_at_thread_exit`: libstdc++ makes the shared state ready from a destructor of the ending
/// thread, in code of its own that is not instrumented. Whoever gets the value reads the state's status with an
/// acquire; here is the release to it. That code may also give up the last reference to the state, and so end memory
/// that others have used. So a reference is held over it, and given up here, before the eyes of the analysis.
#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

/// `std::_Sp_counted_base`, of which libstdc++'s binary interface has the layout, as of the two below.
struct Counter {
  void (*const* functions)(Counter*);
  int uses;
  int weak;

  static constexpr u32 kDispose = 2;  ///< ends the object, in code of the program
  static constexpr u32 kDestroy = 3;  ///< ends the counter
  void call(u32 function) { functions[function](this); }
};

/// `std::__future_base::_State_baseV2::_Make_ready`.
struct MakeReady {
  MakeReady* next;
  void (*callback)(void*);
  char* state;  ///< its `_M_status` lies behind the table of functions and the result
  Counter* counter;
};
constexpr uptr kStatusInState = 16;

std::atomic<void (*)(void*)> make_ready{nullptr};

void record(RawOp op, const void* object) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), 0, OMEN_CALLER);
  }
}

/// As `std::weak_ptr::lock`. False: the object is gone.
bool add_use(Counter& counter) {
  int uses = __atomic_load_n(&counter.uses, __ATOMIC_RELAXED);
  while (uses != 0) {
    if (__atomic_compare_exchange_n(&counter.uses, &uses, uses + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

/// True: it was the last. Ordered after all that gave theirs up before, and before those that come later.
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
    __atomic_fetch_add(&counter->weak, 1, __ATOMIC_RELAXED);  // `ready` has one
    used = add_use(*counter);
  }
  if (used) record(RawOp::SyncRelease, ready.state + kStatusInState);
  make_ready.load(std::memory_order_relaxed)(memory);  // `ready` is gone after it
  if (used && give_up(counter->uses)) {
    counter->call(Counter::kDispose);
    if (give_up(counter->weak)) counter->call(Counter::kDestroy);  // what all uses have together
  }
  if (counter != nullptr && give_up(counter->weak)) counter->call(Counter::kDestroy);
}

}  // namespace

OMEN_INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void* self)) {
  OMEN_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(self);
  auto& ready = *static_cast<MakeReady*>(self);
  if (recording_thread() == nullptr || ready.callback == at_thread_exit) return;
  make_ready.store(ready.callback, std::memory_order_relaxed);  // the same for all
  ready.callback = at_thread_exit;
}
