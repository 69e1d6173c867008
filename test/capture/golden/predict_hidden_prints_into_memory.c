// To print into memory of one's own reaches no state that a lock guards.
// EXPECT: race A B predicted
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
char one[16], other[16];

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  snprintf(one, sizeof one, "%d %s", 1, "text");
  pthread_mutex_unlock(&m);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_mutex_lock(&m);
  snprintf(other, sizeof other, "%.2f", 2.0);
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
