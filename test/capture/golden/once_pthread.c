// pthread_once: a thread that returns from it sees the writes of the routine.
// EXPECT: none
// OUTPUT: 1
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void prepare(void) {
  ++value;
}

static void* work(void* unused) {
  pthread_once(&once, prepare);
  use(value);
  return unused;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
  printf("%d\n", value);
}
