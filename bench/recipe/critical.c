/* A turn instead of a lock keeps two threads apart. A thread whose turn does not come gives up. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kPatience = 3 };
static int turn = 1;
static int inside;

static void* worker(void* p) {
  const int me = (int)(intptr_t)p;
  for (int i = 0; i < kPatience; i++) {
    if (turn != me) continue;
    inside = inside + 1;
    turn = 3 - me;
    break;
  }
  return p;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, worker, (void*)1);
  pthread_create(&two, 0, worker, (void*)2);
  pthread_join(one, 0);
  pthread_join(two, 0);
  printf("%d\n", inside);
}
