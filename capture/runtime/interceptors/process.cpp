/// \file
/// Processes: a forked child records into a file of its own; loaded libraries are recorded.
#include <dlfcn.h>
#include <pthread.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/dispatch/process_description.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/other_threads.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "capture/runtime/threads/thread_table.hpp"

using namespace omen::rt;

namespace {

// Between these two functions the thread is inside the runtime: what the program's own fork handlers do in the child
// must not reach the parent's file. Ours are registered first, so they run last before the fork and first after it.
void before_fork() {
  if (current_thread != nullptr) ++current_thread->busy;
}
void after_fork_in_parent() {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) return;
  --thread->busy;
  deliver_pending_signals(thread);  // the next call into the runtime may be far away
}
void after_fork_in_child() {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) return;
  if (schedule::on()) schedule::release_forked_child();
  recorder.start_again_in_child(thread);
  detect::detector.start_again_in_child(thread);
  thread_table.reset();
  own_this_process();
  thread_table.add(pthread_self(), thread->id);
  --thread->busy;
  record_process(thread);
}

}  // namespace

namespace omen::rt {

void install_process_hooks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  install_end_hooks();
  own_this_process();
}

void fork_begins() {
  before_fork();
}
void fork_ends(long result) {
  if (result == 0) {
    after_fork_in_child();
  } else {
    after_fork_in_parent();
  }
}

}  // namespace omen::rt

namespace {
struct CloneCall {
  int (*function)(void*);
  void* argument;
};
int cloned(void* memory) {
  const CloneCall call = *static_cast<CloneCall*>(memory);
  after_fork_in_child();
  return call.function(call.argument);
}
}  // namespace

/// `clone` without shared memory is a fork that runs no fork handlers.
OMEN_INTERCEPT(int, clone,
               (int (*function)(void*), void* stack, int flags, void* argument, void* a, void* b, void* c)) {
  constexpr int kSharedMemory = 0x100;  // CLONE_VM
  if ((flags & kSharedMemory) != 0 || recording_thread() == nullptr) {
    return OMEN_REAL(clone)(function, stack, flags, argument, a, b, c);
  }
  CloneCall call{function, argument};
  before_fork();
  const int result = OMEN_REAL(clone)(cloned, stack, flags, &call, a, b, c);
  after_fork_in_parent();
  return result;
}

OMEN_INTERCEPT(void*, dlopen, (const char* path, int flags)) {
  reach_hidden_state(OMEN_CALLER);
  const LoadsModules loads((flags & RTLD_DEEPBIND) != 0);
  void* const module = OMEN_REAL(dlopen)(path, flags);
  if (ThreadState* const thread = recording_thread()) record_modules(thread);
  return module;
}
OMEN_INTERCEPT(void*, dlmopen, (long space, const char* path, int flags)) {
  reach_hidden_state(OMEN_CALLER);
  const LoadsModules loads((flags & RTLD_DEEPBIND) != 0);
  void* const module = OMEN_REAL(dlmopen)(space, path, flags);
  if (ThreadState* const thread = recording_thread()) record_modules(thread);
  return module;
}
