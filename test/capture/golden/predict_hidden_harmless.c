// The function called under the lock keeps no state: the sections do not conflict.
// BUILD: -lm -fno-builtin
// EXPECT: race A B predicted
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "invisible.h"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void section(double value) {
  struct timespec now;
  pthread_mutex_lock(&m);
  clock_gettime(CLOCK_MONOTONIC, &now);
  char* block = malloc(100);
  memset(block, 0, 100);
  use((long)sin(value) + getpid() + errno + (long)strlen(block));
  free(block);
  usleep(1);
  pthread_mutex_unlock(&m);
}

static void* work(void* unused) {
  x = 1;  // A
  section(1);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  section(2);
  x = 2;  // B
  pthread_join(t, 0);
}
