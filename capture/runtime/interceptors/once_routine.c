/* Runs the routine of a once-flag and says when it is left, also by an exception or a cancelled thread. That takes a
   clean-up that unwinding runs; in C it needs libgcc alone, while in C++ it would need the C++ library. */
void __omen_once_left(void* flag);

static void leave(void** flag) {
  __omen_once_left(*flag);
}

__attribute__((visibility("hidden"))) void __omen_run_once_routine(void (*routine)(void), void* flag) {
  void* held __attribute__((cleanup(leave))) = flag;
  (void)held;
  routine();
}
