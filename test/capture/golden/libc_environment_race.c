// setenv moves the environment while another thread looks into it.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static void* other(void* unused) {
  setenv("OMEN_TEST_VARIABLE", "1", 1);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  use((long)getenv("HOME"));  // B
  pthread_join(t, 0);
}
