// memmove writes a range that another thread has read.
// BUILD: -fno-builtin
// EXPECT: race A B
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char room[100];

static void* work(void* unused) {
  use(room[90]);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  memmove(room + 11, room, 80);  // B
  pthread_join(t, 0);
}
