/// \file
/// The end of the program. Its other threads may still run then, or may not have begun: what they would have done races
/// with what the others did, and a run that ends at once never shows it.
///
/// They are waited for twice. Before the handlers of `atexit` and the destructors of static objects run: what these
/// destroy is there for the threads yet, and an access before the destruction races with it just as one after it. And
/// after them, when everything is over: they may have woken threads. So main is called by the runtime, for the C
/// library's own call of `exit` behind it cannot be replaced.
#include <stdlib.h>

#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/other_threads.hpp"
#include "capture/runtime/process_hooks.hpp"

using namespace omen::rt;

namespace {

using Main = int (*)(int, char**, char**);
Main programs_main = nullptr;  // set once, before there are threads

/// As a handler it is registered before any other, so it runs behind them.
void at_end() {
  await_other_threads();
  recorder.note_exit();
  online::online.finish();
}

}  // namespace

namespace omen::rt {
void install_end_hooks() {
  atexit(at_end);
  at_quick_exit(at_end);
}
}  // namespace omen::rt

/// Reports leave this frame out (symbolize/symbolizer.cpp).
extern "C" OMEN_NOINLINE int __omen_call_main(int argc, char** argv, char** envp) {
  const int code = programs_main(argc, argv, envp);
  await_other_threads();
  return code;
}

OMEN_INTERCEPT(int, __libc_start_main,
               (Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(), void* stack)) {
  programs_main = main;
  return OMEN_REAL(__libc_start_main)(__omen_call_main, argc, argv, init, fini, loader_fini, stack);
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
  at_end();
  OMEN_REAL(_exit)(code);
  __builtin_unreachable();
}
OMEN_INTERCEPT(void, _Exit, (int code)) {
  at_end();
  OMEN_REAL(_Exit)(code);
  __builtin_unreachable();
}
