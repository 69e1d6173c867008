// Two memset calls overlap in a few bytes.
// BUILD: -fno-builtin
// EXPECT: race A B
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char room[4096];

static void* work(void* unused) {
  memset(room, 1, 2051);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  memset(room + 2050, 2, 1000);  // B
  pthread_join(t, 0);
}
