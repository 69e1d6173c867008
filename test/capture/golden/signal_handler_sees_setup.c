// Writes before sigaction are visible to the handler, in whichever thread it runs.
// EXPECT: none
// OUTPUT: 11
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include "invisible.h"

static int table;
static atomic_int seen;

static void handler(int number) {
  (void)number;
  atomic_store(&seen, table);
}

static void* work(void* unused) {
  while (atomic_load(&seen) == 0) syscall(SYS_sched_yield);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  table = 11;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  pthread_kill(t, SIGUSR1);
  pthread_join(t, 0);
  printf("%d\n", atomic_load(&seen));
}
