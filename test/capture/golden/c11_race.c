// A race between two C11 threads under different mutexes.
// PEER: skip it does not know the C11 functions
// EXPECT: race A B
#include <threads.h>
#include "invisible.h"

static mtx_t m[2];
int x;

static int first(void* unused) {
  (void)unused;
  mtx_lock(&m[0]);
  x = 1;  // A
  mtx_unlock(&m[0]);
  reach(1);
  return 0;
}

static int second(void* unused) {
  (void)unused;
  await(1);
  mtx_lock(&m[1]);
  x = 2;  // B
  mtx_unlock(&m[1]);
  return 0;
}

int main(void) {
  mtx_init(&m[0], mtx_plain);
  mtx_init(&m[1], mtx_plain);
  thrd_t a, b;
  thrd_create(&a, first, 0);
  thrd_create(&b, second, 0);
  thrd_join(a, 0);
  thrd_join(b, 0);
}
