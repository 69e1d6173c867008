// memcmp and memchr read what another thread writes.
// BUILD: -fno-builtin
// RUN: compare
// RUN: find
// EXPECT: race A B
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char left[64], right[64];

static void* work(void* unused) {
  left[5] = 1;  // A
  reach(1);
  return unused;
}

int main(int count, char** arguments) {
  pthread_t t;
  (void)count;
  int compare = arguments[1][0] == 'c';
  pthread_create(&t, 0, work, 0);
  await(1);
  use(compare ? memcmp(left, right, 64) : memchr(left, 9, 64) != 0);  // B
  pthread_join(t, 0);
}
