// A million frames deep, on a thread with a large stack, and back.
#include <stdio.h>
#include "work.h"

static long sum;

__attribute__((noinline)) static long down(long n) {
  sum += n & 1;
  if (n == 0) return 0;
  long result = down(n - 1) + 1;
  __asm__ volatile("" : "+r"(result));
  return result;
}

static void* run(void* out) {
  *(long*)out = down(1000000);
  return out;
}

int main(void) {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, (size_t)512 << 20);
  pthread_t t;
  long depth = 0;
  if (pthread_create(&t, &large, run, &depth) != 0) return 1;
  pthread_join(t, 0);
  printf("%ld %ld %ld\n", depth, sum, work(2, 100));
}
