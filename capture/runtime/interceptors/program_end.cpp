/// \file
/// Program exit. Other threads may still run then, or may not have begun. Their remaining accesses can race with those
/// of the others, and a run that ends at once never shows these races.
///
/// The runtime waits for them twice. First before the handlers of `atexit` and the destructors of static objects run:
/// the objects still exist, and an access before the destruction races with it just as one after it. Then after them,
/// at the very end, because they may have woken threads. So the runtime calls main itself: the C library's own call of
/// `exit` after it cannot be intercepted.
#include <stdlib.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/dispatch/verified_placement.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/other_threads.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/schedule/explore/crashes.hpp"
#include "capture/runtime/schedule/explore/explore.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

using namespace omen::rt;
namespace raw = omen::raw;

namespace {

using Main = int (*)(int, char**, char**);
Main programs_main = nullptr;  // set once, before there are other threads

/// The exit code that replaces the program's own; -1: keep the program's.
int tell_end() {
  if (!is_own_process()) return -1;  // the child of a vfork
  await_other_threads();
  if (schedule::on() && !schedule::leads()) explore::explorer.finish("exit");
  end_verification(current_thread);
  recorder.note_exit();
  return detect::detector.finish();
}

int code_at_end(int own) {
  const int code = tell_end();
  return code >= 0 ? code : own;
}

}  // namespace

/// Reports leave this frame out (symbolize/symbolizer.cpp).
extern "C" OMEN_NOINLINE int __omen_call_main(int argc, char** argv, char** envp) {
  const auto frame = reinterpret_cast<uptr>(__builtin_frame_address(0));
  if (schedule::on()) schedule::note_first_stack(frame);
  if (ThreadState* const thread = recording_thread()) recorder.note(thread, raw::RawOp::FirstFrame, frame, 0, 0);
  const int code = programs_main(argc, argv, envp);
  await_other_threads();
  return code;
}

OMEN_INTERCEPT(int, __libc_start_main,
               (Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(), void* stack)) {
  programs_main = main;
  return OMEN_REAL(__libc_start_main)(__omen_call_main, argc, argv, init, fini, loader_fini, stack);
}

/// A failed `assert` calls this.
OMEN_INTERCEPT(void, __assert_fail, (const char* expression, const char* file, unsigned line, const char* function)) {
  if (ThreadState* const thread = explore::explored_thread()) {
    thread->explored->pc = OMEN_CALLER;
    explore::note_assertion(expression, file, line, function);
  }
  OMEN_REAL(__assert_fail)(expression, file, line, function);
  __builtin_unreachable();
}

OMEN_INTERCEPT(void, abort, ()) {
  if (ThreadState* const thread = explore::explored_thread()) thread->explored->pc = OMEN_CALLER;
  OMEN_REAL(abort)();
  __builtin_unreachable();
}

OMEN_INTERCEPT(void, exit, (int code)) {
  await_other_threads();
  OMEN_REAL(exit)(code);
  __builtin_unreachable();
}
OMEN_INTERCEPT(void, quick_exit, (int code)) {
  await_other_threads();
  OMEN_REAL(quick_exit)(code);
  __builtin_unreachable();
}
OMEN_INTERCEPT(void, _exit, (int code)) {
  OMEN_REAL(_exit)(code_at_end(code));
  __builtin_unreachable();
}
OMEN_INTERCEPT(void, _Exit, (int code)) {
  OMEN_REAL(_Exit)(code_at_end(code));
  __builtin_unreachable();
}

namespace {

// As handlers these are registered before any others, so they run after them. A second call of exit runs the remaining
// handlers, and ends with its own code.
void at_exit() {
  if (const int code = tell_end(); code >= 0) OMEN_REAL(exit)(code);
}
void at_quick_end() {
  if (const int code = tell_end(); code >= 0) OMEN_REAL(quick_exit)(code);
}

}  // namespace

namespace omen::rt {
void install_end_hooks() {
  atexit(at_exit);
  at_quick_exit(at_quick_end);
}
}  // namespace omen::rt
