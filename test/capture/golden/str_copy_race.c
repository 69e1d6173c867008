// strcat and strdup read what another thread has written.
// BUILD: -fno-builtin -D_GNU_SOURCE
// RUN: concatenate
// RUN: duplicate
// PEER: misses it does not look at what these read
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

char text[64] = "123", out[64];

static void* work(void* unused) {
  text[1] = '2';  // A
  reach(1);
  return unused;
}

int main(int count, char** arguments) {
  pthread_t t;
  (void)count;
  int concatenate = arguments[1][0] == 'c';
  pthread_create(&t, 0, work, 0);
  await(1);
  char* result = concatenate ? strcat(out, text) : strdup(text);  // B
  pthread_join(t, 0);
  if (!concatenate) free(result);
}
