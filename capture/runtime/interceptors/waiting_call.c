/* Waits at a condition variable and reports when the mutex is re-acquired, also by a thread that is cancelled there: its
   clean-up handlers run with the mutex held. In C for the same reason as once_routine.c. */
void __omen_wait_ended(void* mutex, void* place, int result);

struct held {
  void* mutex;
  void* place;
  int result; /* of the wait; -1: the thread was cancelled in it */
};

static void end(struct held* held) {
  __omen_wait_ended(held->mutex, held->place, held->result);
}

__attribute__((visibility("hidden"))) int __omen_wait(int (*wait)(void*, void*), void* condition, void* mutex,
                                                      void* place) {
  struct held held __attribute__((cleanup(end))) = {mutex, place, -1};
  return held.result = wait(condition, mutex);
}

__attribute__((visibility("hidden"))) int __omen_timed_wait(int (*wait)(void*, void*, const void*), void* condition,
                                                            void* mutex, const void* time, void* place) {
  struct held held __attribute__((cleanup(end))) = {mutex, place, -1};
  return held.result = wait(condition, mutex, time);
}

__attribute__((visibility("hidden"))) int __omen_clock_wait(int (*wait)(void*, void*, int, const void*),
                                                            void* condition, void* mutex, int clock, const void* time,
                                                            void* place) {
  struct held held __attribute__((cleanup(end))) = {mutex, place, -1};
  return held.result = wait(condition, mutex, clock, time);
}
