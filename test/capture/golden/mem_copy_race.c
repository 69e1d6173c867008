// memcpy reads a range of which another thread writes one byte.
// BUILD: -fno-builtin
// EXPECT: race A B
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char from[200], to[200];

static void* work(void* unused) {
  memcpy(to, from, 150);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  from[149] = 1;  // B
  pthread_join(t, 0);
}
