/// \file
/// `std::promise::set_value_at_thread_exit`: libstdc++ makes the shared state ready from a destructor of the ending
/// thread, in code of its own that is not instrumented. Whoever gets the value reads the state's status with an
/// acquire; here is the release to it.
#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

/// `std::__future_base::_State_baseV2::_Make_ready`: part of libstdc++'s binary interface, as headers lay it out.
struct MakeReady {
  MakeReady* next;
  void (*callback)(void*);
  char* state;    ///< its `_M_status` lies behind the table of functions and the result
  char* counter;  ///< of the references to the state: `_M_use_count` lies behind the table of functions
};
constexpr uptr kStatusInState = 16;
constexpr uptr kUseCountInCounter = 8;

std::atomic<void (*)(void*)> make_ready{nullptr};

/// The state may lose its last reference here, after the other threads have lost theirs.
void at_thread_exit(void* memory) {
  const MakeReady& ready = *static_cast<MakeReady*>(memory);
  const uptr status = reinterpret_cast<uptr>(ready.state) + kStatusInState;
  const uptr use_count = reinterpret_cast<uptr>(ready.counter) + kUseCountInCounter;
  if (ThreadState* const thread = recording_thread(); thread != nullptr && ready.state != nullptr) {
    recorder.synchronise(thread, RawOp::SyncRelease, status, 0, OMEN_CALLER);
    recorder.synchronise(thread, RawOp::SyncBoth, use_count, 0, OMEN_CALLER);
  }
  make_ready.load(std::memory_order_relaxed)(memory);  // the object is gone after it
}

}  // namespace

OMEN_INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void* self)) {
  OMEN_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(self);
  auto& ready = *static_cast<MakeReady*>(self);
  if (recording_thread() == nullptr || ready.callback == at_thread_exit) return;
  make_ready.store(ready.callback, std::memory_order_relaxed);  // the same for all
  ready.callback = at_thread_exit;
}
