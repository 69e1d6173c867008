// longjmp over several frames, many times: the recorded stacks do not grow, the race has the right lines.
// EXPECT: race A B
#include <pthread.h>
#include <setjmp.h>
#include "invisible.h"

static jmp_buf place;
int x;

static void down(int depth) {
  if (depth == 0) longjmp(place, 1);
  down(depth - 1);
  use(depth);
}

static void* work(void* unused) {
  for (volatile int i = 0; i < 10000; i = i + 1) {
    if (setjmp(place) == 0) down(20);
  }
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  x = 2;  // B
  pthread_join(t, 0);
}
