// Timer signals at a high rate; their handler uses atomics and touches memory while threads lock and allocate.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include "work.h"

static atomic_long ticks;
static _Thread_local volatile long mine;

static void tick(int number) {
  int saved = errno;
  (void)number;
  atomic_fetch_add_explicit(&ticks, 1, memory_order_acq_rel);
  mine = mine + 1;
  errno = saved;
}

int main(void) {
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  sigaction(SIGPROF, &action, 0);
  struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  setitimer(ITIMER_PROF, &often, 0);
  long sum = work(3, 30000);
  while (atomic_load(&ticks) < 100) sum += work(1, 1000) - 1000;
  setitimer(ITIMER_REAL, &never, 0);
  setitimer(ITIMER_PROF, &never, 0);
  printf("%ld\n", sum);
}
