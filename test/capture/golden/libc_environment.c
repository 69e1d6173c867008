// Several threads look into the environment, or change it one after the other: the C library's lock is between changes.
// EXPECT: none
// OUTPUT: set
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

static void* reader(void* unused) {
  use((long)getenv("HOME"));
  return unused;
}
static void* writer(void* name) {
  setenv(name, "set", 1);
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, reader, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  pthread_create(&t[0], 0, writer, "OMEN_TEST_A");
  pthread_create(&t[1], 0, writer, "OMEN_TEST_B");
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  puts(getenv("OMEN_TEST_B"));
}
