/// \file
/// Threads: creation, end, join, detach, names; and the C11 equivalents.
#include <pthread.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/thread_end.hpp"
#include "capture/runtime/interceptors/turns.hpp"
#include "capture/runtime/stacks/unseen_frames.hpp"
#include "capture/runtime/threads/thread_table.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

constexpr int kBusy = 16;       // EBUSY
constexpr int kTimedOut = 110;  // ETIMEDOUT

/// A new thread's stack, with its thread-local variables, may be reused from another thread: it begins a new life.
void record_stack(ThreadState* thread) {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  {
    const Busy busy(thread);  // allocations of these calls are not the program's
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  recorder.memory(thread, RawOp::NewMemory, reinterpret_cast<uptr>(low), bytes, 0);
}

/// The creator sleeps until the new thread begins, as in ThreadSanitizer. Otherwise it would nearly always be ahead:
/// its next operations would seldom meet the thread's first ones.
///
/// The sleep is short: the thread may first need something that its creator holds, such as the lock of an allocator
/// that starts a thread of its own. The words are static, since the creator may have ended when its thread writes to
/// one.
class Beginning {
 public:
  explicit Beginning(u32 thread) : word_(words[thread % kWords]), before_(word_.load(std::memory_order_relaxed)) {}

  void await() {
    for (u32 i = 0; i < kNaps && !has_begun(); ++i) await_change_for(word_, before_, kNap);
  }
  bool has_begun() const { return word_.load(std::memory_order_acquire) != before_; }

  static void tell(u32 thread) {
    words[thread % kWords].fetch_add(1, std::memory_order_release);
    wake_one(words[thread % kWords]);
  }

 private:
  static constexpr u32 kWords = 1U << 16;  ///< far more than concurrent thread creations
  static constexpr u32 kNaps = 10;
  static constexpr u64 kNap = 2'000'000;
  static std::atomic<u32> words[kWords];

  std::atomic<u32>& word_;
  u32 before_;
};
constinit std::atomic<u32> Beginning::words[kWords] = {};

void* thread_start(void* state) {
  auto* const thread = static_cast<ThreadState*>(state);
  void* (*const start)(void*) = thread->start;
  void* const argument = thread->argument;
  {
    const Busy busy(thread);  // a signal handler runs after the thread's first event
    set_current_thread(thread);
    arrange_thread_end(thread);
    thread_table.add(pthread_self(), thread->id);  // the thread may look it up before its creator returns
    thread->system_id = system_thread_id();
    recorder.synchronise(thread, RawOp::Begin, thread->id, 0, 0);
    recorder.note(thread, RawOp::ThreadSystemId, thread->id, 0, 0);
    recorder.more(thread, thread->system_id);
    record_stack(thread);
    Beginning::tell(thread->id);
  }
  if (schedule::on()) schedule::begin_thread(thread);
  return start(argument);
}

/// Creation is rare, and mostly called from inside libstdc++: unwinds the whole stack.
OMEN_NOINLINE void record_creation(ThreadState* thread, u32 id, uptr pc) {
  const Busy busy(thread);
  const UnseenFrames unseen(thread->stack, pc);
  recorder.synchronise(thread, RawOp::Fork, id, 0, pc);
}

void joined(u32 id, unsigned long handle, uptr pc) {
  if (id == ThreadTable::kNobody) return;
  thread_table.remove(handle, id);
  if (ThreadState* const thread = recording_thread()) recorder.synchronise(thread, RawOp::Join, id, 0, pc);
}

void name_thread(u32 id, const char* name) {
  ThreadState* const thread = recording_thread();
  if (thread != nullptr && id != ThreadTable::kNobody) recorder.note_text(thread, RawOp::ThreadName, id, name);
}

OMEN_NOINLINE void announce_scheduled(ThreadState* thread, ThreadState* child, uptr pc) {
  if (schedule::leads()) schedule::adopt_child(thread, child);
  record_creation(thread, child->id, pc);  // another thread may run first
  if (!schedule::leads()) schedule::adopt_child(thread, child);
}

}  // namespace

OMEN_INTERCEPT(int, pthread_create,
               (unsigned long* handle, const void* attributes, void* (*start)(void*), void* argument)) {
  ThreadState* const thread = recording_thread();
  ThreadState* const child = thread == nullptr || !(recorder.recording() || detect::detector.on() || schedule::on())
                                 ? nullptr
                                 : recorder.create_thread();
  if (child == nullptr) return OMEN_REAL(pthread_create)(handle, attributes, start, argument);
  child->start = start;
  child->argument = argument;
  const u32 id = child->id;
  Beginning beginning(id);
  if (schedule::on()) {
    announce_scheduled(thread, child, OMEN_CALLER);
  } else {
    record_creation(thread, id, OMEN_CALLER);
  }
  int result = 0;
  {
    const Busy busy(thread);  // the C library's own allocations
    result = OMEN_REAL(pthread_create)(handle, attributes, thread_start, child);
    if (result == 0) {
      beginning.await();
      if (!beginning.has_begun())
        thread_table.add(*handle, id);  // else the thread has done so, and may already have ended
    } else {
      if (schedule::on()) schedule::drop_child(child);
      recorder.destroy_thread(child);
    }
  }
  return result;
}

namespace {

/// In a controlled run, waits for the thread to end. False: it has not, and `error` says why.
bool awaits_end(u32 id, bool waits, u64 deadline, uptr pc, int& error) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr || id == ThreadTable::kNobody || !explore::explorer.knows(id) || id == thread->id) return true;
  explore::test_cancel();
  while (!explore::explorer.has_ended(id)) {
    if (!waits) {
      error = kBusy;
      return false;
    }
    switch (explore::explorer.block(thread,
                                    {.kind = explore::WaitKind::Join, .object = id, .pc = pc, .deadline = deadline})) {
      case explore::WaitEnd::TimedOut:
        error = kTimedOut;
        return false;
      case explore::WaitEnd::Cancelled:
        explore::test_cancel();
        break;
      case explore::WaitEnd::Over:
        return true;
      default:
        break;
    }
  }
  return true;
}

OMEN_NOINLINE void await_end(u32 id, uptr pc) {
  int ignored = 0;
  awaits_end(id, true, explore::Wait::kNever, pc, ignored);
}

}  // namespace

OMEN_INTERCEPT(int, pthread_join, (unsigned long handle, void** value)) {
  await_turn(nullptr, OMEN_CALLER);
  const u32 id = thread_table.find(handle);
  if (schedule::on()) await_end(id, OMEN_CALLER);
  const int result = OMEN_REAL(pthread_join)(handle, value);
  if (result == 0) joined(id, handle, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, pthread_tryjoin_np, (unsigned long handle, void** value)) {
  await_turn(nullptr, OMEN_CALLER);
  const u32 id = thread_table.find(handle);
  int result = 0;
  if (!awaits_end(id, false, 0, OMEN_CALLER, result)) return result;
  // A thread that has ended for the scheduler soon ends for the kernel.
  result = explored_thread() != nullptr ? OMEN_REAL(pthread_join)(handle, value)
                                        : OMEN_REAL(pthread_tryjoin_np)(handle, value);
  if (result == 0) joined(id, handle, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, pthread_timedjoin_np, (unsigned long handle, void** value, const void* time)) {
  await_turn(nullptr, OMEN_CALLER);
  const u32 id = thread_table.find(handle);
  int result = 0;
  if (explored_thread() != nullptr && time != nullptr) {
    if (!awaits_end(id, true, deadline_of(CLOCK_REALTIME, time), OMEN_CALLER, result)) return result;
    result = OMEN_REAL(pthread_join)(handle, value);
  } else {
    result = OMEN_REAL(pthread_timedjoin_np)(handle, value, time);
  }
  if (result == 0) joined(id, handle, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, pthread_clockjoin_np, (unsigned long handle, void** value, int clock, const void* time)) {
  await_turn(nullptr, OMEN_CALLER);
  const u32 id = thread_table.find(handle);
  int result = 0;
  if (explored_thread() != nullptr && time != nullptr) {
    if (!awaits_end(id, true, deadline_of(clock, time), OMEN_CALLER, result)) return result;
    result = OMEN_REAL(pthread_join)(handle, value);
  } else {
    result = OMEN_REAL(pthread_clockjoin_np)(handle, value, clock, time);
  }
  if (result == 0) joined(id, handle, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, pthread_cancel, (unsigned long handle)) {
  const u32 id = thread_table.find(handle);
  const int result = OMEN_REAL(pthread_cancel)(handle);
  if (explored_thread() != nullptr && id != ThreadTable::kNobody) explore::explorer.cancel(id);
  return result;
}

OMEN_INTERCEPT(int, pthread_setname_np, (unsigned long handle, const char* name)) {
  name_thread(thread_table.find(handle), name);
  return OMEN_REAL(pthread_setname_np)(handle, name);
}
OMEN_INTERCEPT(int, prctl, (int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)) {
  constexpr int kSetName = 15;
  if (what == kSetName && current_thread != nullptr) name_thread(current_thread->id, reinterpret_cast<const char*>(a));
  return OMEN_REAL(prctl)(what, a, b, c, d);
}

// C11. The start routine returns an int, which is passed in the pointer.
namespace {
struct C11Start {
  int (*start)(void*);
  void* argument;
};
void* c11_start(void* memory) {
  const C11Start call = *static_cast<C11Start*>(memory);
  unmap_memory(memory, sizeof(C11Start));
  return reinterpret_cast<void*>(static_cast<long>(call.start(call.argument)));
}
constexpr int kC11Success = 0;
constexpr int kC11Error = 2;
constexpr int kC11NoMemory = 3;
constexpr int kC11Busy = 1;
constexpr int kC11TimedOut = 4;
int c11_result(int error) {
  return error == 0 ? kC11Success : error == kBusy ? kC11Busy : error == kTimedOut ? kC11TimedOut : kC11Error;
}
}  // namespace

extern "C" {
int __omen_intercept_pthread_mutex_lock(void*);
int __omen_intercept_pthread_mutex_trylock(void*);
int __omen_intercept_pthread_mutex_timedlock(void*, const void*);
int __omen_intercept_pthread_mutex_unlock(void*);
int __omen_intercept_pthread_mutex_destroy(void*);
int __omen_intercept_pthread_cond_wait(void*, void*);
int __omen_intercept_pthread_cond_timedwait(void*, void*, const void*);
int __omen_intercept_pthread_once(void*, void (*)());
}

OMEN_INTERCEPT(int, thrd_create, (unsigned long* handle, int (*start)(void*), void* argument)) {
  if (recording_thread() == nullptr) return OMEN_REAL(thrd_create)(handle, start, argument);
  auto* const call = static_cast<C11Start*>(map_memory(sizeof(C11Start)));
  if (call == nullptr) return kC11NoMemory;
  *call = {start, argument};
  const int error = __omen_intercept_pthread_create(handle, nullptr, c11_start, call);
  if (error != 0) unmap_memory(call, sizeof(C11Start));
  return error == 0 ? kC11Success : kC11Error;
}
OMEN_INTERCEPT(int, thrd_join, (unsigned long handle, int* value)) {
  void* result = nullptr;
  const int error = __omen_intercept_pthread_join(handle, &result);
  if (error == 0 && value != nullptr) *value = static_cast<int>(reinterpret_cast<long>(result));
  return error == 0 ? kC11Success : kC11Error;
}
OMEN_INTERCEPT(int, mtx_lock, (void* mutex)) {
  return c11_result(__omen_intercept_pthread_mutex_lock(mutex));
}
OMEN_INTERCEPT(int, mtx_trylock, (void* mutex)) {
  return c11_result(__omen_intercept_pthread_mutex_trylock(mutex));
}
OMEN_INTERCEPT(int, mtx_timedlock, (void* mutex, const void* time)) {
  return c11_result(__omen_intercept_pthread_mutex_timedlock(mutex, time));
}
OMEN_INTERCEPT(int, mtx_unlock, (void* mutex)) {
  return c11_result(__omen_intercept_pthread_mutex_unlock(mutex));
}
OMEN_INTERCEPT(void, mtx_destroy, (void* mutex)) {
  __omen_intercept_pthread_mutex_destroy(mutex);
}
OMEN_INTERCEPT(int, cnd_wait, (void* condition, void* mutex)) {
  return c11_result(__omen_intercept_pthread_cond_wait(condition, mutex));
}
OMEN_INTERCEPT(int, cnd_timedwait, (void* condition, void* mutex, const void* time)) {
  return c11_result(__omen_intercept_pthread_cond_timedwait(condition, mutex, time));
}
OMEN_INTERCEPT(void, call_once, (void* flag, void (*routine)())) {
  __omen_intercept_pthread_once(flag, routine);
}
