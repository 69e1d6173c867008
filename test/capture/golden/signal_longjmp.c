// A handler leaves by siglongjmp; the stack of the thread is right again afterwards.
// EXPECT: race A B
// OUTPUT: back
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include "invisible.h"

static sigjmp_buf place;
int x;

static void handler(int number) {
  (void)number;
  siglongjmp(place, 1);
}

static void* work(void* unused) {
  if (sigsetjmp(place, 1) == 0) raise(SIGUSR1);
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  signal(SIGUSR1, handler);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  x = 2;  // B
  pthread_join(t, 0);
  puts("back");
}
