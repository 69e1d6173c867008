// A direct fork system call, while another thread is inside the runtime: both the child and the parent continue.
// EXPECT: race A B
// OUTPUT: 5
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include "invisible.h"
#include "syscalls.h"

int counter, x, over;

static void* work(void* unused) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    const long child = CALL(fork, SYS_fork);
    if (child == 0) {
      __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
      _exit(7);
    }
    int status = 0;
    if (waitpid((int)child, &status, 0) == child && WEXITSTATUS(status) == 7) ++ended;
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  await(1);
  x = 2;  // B
  pthread_join(t, 0);
  printf("%d\n", ended);
}
