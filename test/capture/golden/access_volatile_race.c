// volatile is no synchronisation.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

volatile int flag;

static void* work(void* unused) {
  flag = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  while (flag == 0) continue;  // B
  pthread_join(t, 0);
}
