// One thread frees what another still reads.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static int* p;

static void* work(void* unused) {
  use(*p);  // A
  reach(1);
  return unused;
}

int main(void) {
  p = malloc(sizeof *p);
  *p = 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  free(p);  // B
  pthread_join(t, 0);
}
