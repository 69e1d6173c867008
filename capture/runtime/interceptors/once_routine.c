/* Runs the routine of a once-flag and reports when it is left, also by an exception or a cancelled thread. This needs a
   clean-up that unwinding runs. In C that requires only libgcc; in C++ it would require the C++ library. */
void __omen_once_left(void* flag);

static void leave(void** flag) {
  __omen_once_left(*flag);
}

__attribute__((visibility("hidden"))) void __omen_run_once_routine(void (*routine)(void), void* flag) {
  void* held __attribute__((cleanup(leave))) = flag;
  (void)held;
  routine();
}
