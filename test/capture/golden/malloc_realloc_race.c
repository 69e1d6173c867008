// realloc moves the memory while another thread reads it.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static int* p;
static int* q;

static void* work(void* unused) {
  use(p[3]);  // A
  reach(1);
  return unused;
}

int main(void) {
  p = malloc(100);
  p[3] = 1;
  int* wall = malloc(100);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  q = realloc(p, 100000);  // B
  pthread_join(t, 0);
  free(q);
  free(wall);
}
