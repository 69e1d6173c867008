/// \file
/// The functions with which programs describe their own synchronisation to a race detector:
/// `sanitizer/tsan_interface.h` and the older dynamic annotations (`AnnotateHappensBefore` and similar).
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

void synchronise(RawOp op, const volatile void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), 0, pc);
  }
}

constexpr unsigned kMutexReadLock = 1U << 3;
constexpr unsigned kMutexTryLock = 1U << 4;
constexpr unsigned kMutexTryLockFailed = 1U << 5;

void ignore_access(int change) {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) return;
  if (change > 0 || thread->ignore_access > 0) thread->ignore_access += static_cast<u32>(change);
}
void ignore_sync(int change) {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) return;
  if (change > 0 || thread->ignore_sync > 0) thread->ignore_sync += static_cast<u32>(change);
}

}  // namespace

OMEN_ABI void __tsan_acquire(void* object) {
  synchronise(RawOp::SyncAcquire, object, OMEN_CALLER);
}
OMEN_ABI void __tsan_release(void* object) {
  synchronise(RawOp::SyncRelease, object, OMEN_CALLER);
}

// Custom mutexes of the program. While one of their functions runs, its own accesses and atomics are ignored.
OMEN_ABI void __tsan_mutex_create(void*, unsigned) {}
OMEN_ABI void __tsan_mutex_destroy(void* mutex, unsigned) {
  synchronise(RawOp::LockForget, mutex, OMEN_CALLER);
}
OMEN_ABI void __tsan_mutex_pre_lock(void*, unsigned) {
  ignore_access(1);
  ignore_sync(1);
}
OMEN_ABI void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  ignore_sync(-1);
  ignore_access(-1);
  const bool shared = (flags & kMutexReadLock) != 0;
  // A custom lock may refuse for any reason, even when it is free: a failed attempt implies nothing.
  if ((flags & kMutexTryLock) != 0 && (flags & kMutexTryLockFailed) != 0) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, shared ? RawOp::AcquireShared : RawOp::Acquire, reinterpret_cast<uptr>(mutex),
                         (flags & kMutexTryLock) != 0 ? 1 : 0, OMEN_CALLER);
  }
}
OMEN_ABI int __tsan_mutex_pre_unlock(void* mutex, unsigned) {
  synchronise(RawOp::Release, mutex, OMEN_CALLER);
  ignore_access(1);
  ignore_sync(1);
  return 1;
}
OMEN_ABI void __tsan_mutex_post_unlock(void*, unsigned) {
  ignore_sync(-1);
  ignore_access(-1);
}
OMEN_ABI void __tsan_mutex_pre_signal(void*, unsigned) {
  ignore_access(1);
  ignore_sync(1);
}
OMEN_ABI void __tsan_mutex_post_signal(void*, unsigned) {
  ignore_sync(-1);
  ignore_access(-1);
}
OMEN_ABI void __tsan_mutex_pre_divert(void*, unsigned) {
  ignore_sync(-1);
  ignore_access(-1);
}
OMEN_ABI void __tsan_mutex_post_divert(void*, unsigned) {
  ignore_access(1);
  ignore_sync(1);
}

// Memory of another process or thread that works for this one: an ordinary access.
OMEN_ABI void* __tsan_external_register_tag(const char*) {
  return nullptr;
}
OMEN_ABI void __tsan_external_register_header(void*, const char*) {}
OMEN_ABI void __tsan_external_assign_tag(void*, void*) {}
OMEN_ABI void __tsan_external_read(void* object, void* pc, void*) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.range(thread, reinterpret_cast<uptr>(object), 1, false, reinterpret_cast<uptr>(pc));
  }
}
OMEN_ABI void __tsan_external_write(void* object, void* pc, void*) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.range(thread, reinterpret_cast<uptr>(object), 1, true, reinterpret_cast<uptr>(pc));
  }
}

// Fibers are threads that take turns. A switch orders what came before it, unless its flag says otherwise.
OMEN_ABI void* __tsan_get_current_fiber() {
  return current_thread;
}
OMEN_ABI void* __tsan_create_fiber(unsigned) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return nullptr;
  ThreadState* const fiber = recorder.create_thread();
  if (fiber == nullptr) return nullptr;
  fiber->fiber = true;
  recorder.synchronise(thread, RawOp::Fork, fiber->id, 0, OMEN_CALLER);
  return fiber;
}
OMEN_ABI void __tsan_destroy_fiber(void* fiber) {
  if (fiber != nullptr && fiber != current_thread) recorder.destroy_thread(static_cast<ThreadState*>(fiber));
}
OMEN_ABI void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  ThreadState* const from = recording_thread();
  auto* const to = static_cast<ThreadState*>(fiber);
  if (from == nullptr || to == nullptr || from == to) return;
  const bool ordered = (flags & 1) == 0;
  if (ordered) synchronise(RawOp::SyncRelease, to, OMEN_CALLER);
  to->system_id = from->system_id;
  set_current_thread(to);
  if (ordered) synchronise(RawOp::SyncAcquire, to, OMEN_CALLER);
}
OMEN_ABI void __tsan_set_fiber_name(void* fiber, const char* name) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || fiber == nullptr) return;
  recorder.note_text(thread, RawOp::ThreadName, static_cast<ThreadState*>(fiber)->id, name);
}

OMEN_ABI void __tsan_flush_memory() {}
OMEN_ABI void __tsan_on_thread_idle() {}
OMEN_ABI void __tsan_check_no_mutexes_held() {}  // omen has no report for held mutexes
OMEN_ABI void __tsan_on_initialize() __attribute__((weak));
OMEN_ABI void __tsan_on_initialize() {}

// Dynamic annotations. The first two arguments are their file and line.
#define OMEN_ANNOTATE(name, ...) OMEN_ABI void name(const char*, int __VA_OPT__(, ) __VA_ARGS__)

OMEN_ANNOTATE(AnnotateHappensBefore, const volatile void* object) {
  synchronise(RawOp::SyncRelease, object, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateHappensAfter, const volatile void* object) {
  synchronise(RawOp::SyncAcquire, object, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateCondVarSignal, const volatile void* object) {
  synchronise(RawOp::SyncRelease, object, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateCondVarSignalAll, const volatile void* object) {
  synchronise(RawOp::SyncRelease, object, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateCondVarWait, const volatile void* object, const volatile void*) {
  synchronise(RawOp::SyncAcquire, object, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateRWLockCreate, const volatile void*) {}
OMEN_ANNOTATE(AnnotateRWLockCreateStatic, const volatile void*) {}
OMEN_ANNOTATE(AnnotateRWLockDestroy, const volatile void* lock) {
  synchronise(RawOp::LockForget, lock, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateRWLockAcquired, const volatile void* lock, long writer) {
  synchronise(writer != 0 ? RawOp::Acquire : RawOp::AcquireShared, lock, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateRWLockReleased, const volatile void* lock, long) {
  synchronise(RawOp::Release, lock, OMEN_CALLER);
}
OMEN_ANNOTATE(AnnotateNewMemory, const volatile void* memory, std::size_t bytes) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.memory(thread, RawOp::NewMemory, reinterpret_cast<uptr>(memory), bytes, OMEN_CALLER);
  }
}
OMEN_ANNOTATE(AnnotateBenignRace, const volatile void* memory, const char*) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.note(thread, RawOp::Benign, reinterpret_cast<uptr>(memory), 8, OMEN_CALLER);
  }
}
OMEN_ANNOTATE(AnnotateBenignRaceSized, const volatile void* memory, std::size_t bytes, const char*) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.note(thread, RawOp::Benign, reinterpret_cast<uptr>(memory), bytes, OMEN_CALLER);
  }
}
OMEN_ANNOTATE(AnnotateIgnoreReadsBegin) {
  ignore_access(1);
}
OMEN_ANNOTATE(AnnotateIgnoreReadsEnd) {
  ignore_access(-1);
}
OMEN_ANNOTATE(AnnotateIgnoreWritesBegin) {
  ignore_access(1);
}
OMEN_ANNOTATE(AnnotateIgnoreWritesEnd) {
  ignore_access(-1);
}
OMEN_ANNOTATE(AnnotateIgnoreSyncBegin) {
  ignore_sync(1);
}
OMEN_ANNOTATE(AnnotateIgnoreSyncEnd) {
  ignore_sync(-1);
}
OMEN_ANNOTATE(AnnotateThreadName, const char* thread_name) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.note_text(thread, RawOp::ThreadName, thread->id, thread_name);
  }
}
OMEN_ANNOTATE(AnnotateEnableRaceDetection, int) {}
OMEN_ANNOTATE(AnnotateMutexIsUsedAsCondVar, const volatile void*) {}
OMEN_ANNOTATE(AnnotatePCQGet, const volatile void*) {}
OMEN_ANNOTATE(AnnotatePCQPut, const volatile void*) {}
OMEN_ANNOTATE(AnnotatePCQDestroy, const volatile void*) {}
OMEN_ANNOTATE(AnnotatePCQCreate, const volatile void*) {}
OMEN_ANNOTATE(AnnotateExpectRace, const volatile void*, const char*) {}
OMEN_ANNOTATE(AnnotateFlushExpectedRaces) {}
OMEN_ANNOTATE(AnnotateFlushState) {}
OMEN_ANNOTATE(AnnotateMutexIsNotPHB, const volatile void*) {}
OMEN_ANNOTATE(AnnotateMemoryIsInitialized, const volatile void*, std::size_t) {}
OMEN_ANNOTATE(AnnotateMemoryIsUninitialized, const volatile void*, std::size_t) {}
OMEN_ANNOTATE(AnnotateTraceMemory, const volatile void*) {}
OMEN_ANNOTATE(AnnotateNoOp, const volatile void*) {}
OMEN_ANNOTATE(AnnotatePublishMemoryRange, const volatile void*, std::size_t) {}
OMEN_ANNOTATE(AnnotateUnpublishMemoryRange, const volatile void*, std::size_t) {}

// WebKit's names for the same.
OMEN_ANNOTATE(WTFAnnotateHappensBefore, const volatile void* object) {
  synchronise(RawOp::SyncRelease, object, OMEN_CALLER);
}
OMEN_ANNOTATE(WTFAnnotateHappensAfter, const volatile void* object) {
  synchronise(RawOp::SyncAcquire, object, OMEN_CALLER);
}
OMEN_ANNOTATE(WTFAnnotateBenignRaceSized, const volatile void* memory, std::size_t bytes, const char*) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.note(thread, RawOp::Benign, reinterpret_cast<uptr>(memory), bytes, OMEN_CALLER);
  }
}

/// For tests of the shadow stack.
OMEN_ABI std::size_t __tsan_testonly_shadow_stack_current_size() {
  ThreadState* const thread = current_thread;
  return thread == nullptr ? 0 : static_cast<std::size_t>(thread->stack.top() - thread->stack.bottom());
}

OMEN_ABI int RunningOnValgrind() {
  return 0;
}
OMEN_ABI double ValgrindSlowdown() {
  return 10.0;
}
OMEN_ABI const char* ThreadSanitizerQuery(const char* query) {
  return text_equal(query, "pure_happens_before") ? "1" : "0";
}
