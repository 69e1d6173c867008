// memcpy, memmove and memset end one byte before the memory that the other thread writes.
// BUILD: -fno-builtin
// EXPECT: none
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char from[200], to[200], room[200];

static void* work(void* unused) {
  memcpy(to, from, 149);
  memmove(room + 1, room, 99);
  memset(room + 120, 7, 13);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  from[149] = 1;
  to[149] = 1;
  room[100] = 1;
  room[119] = room[133] = 1;
  pthread_join(t, 0);
}
