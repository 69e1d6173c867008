// A function returns a structure in registers, and the call stores it.
// EXPECT: race A B
// PEER: gcc misses the instrumentation has no check of what a call returns into
#include <pthread.h>
#include "invisible.h"

struct Pair {
  long first, second;
};

struct Pair shared;

__attribute__((noinline)) static struct Pair made(long n) {
  __asm__ volatile("" : "+r"(n));
  return (struct Pair){n, n + 1};
}

static void* writer(void* unused) {
  shared = made(1);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  await(1);
  shared = made(3);  // B
  pthread_join(thread, 0);
}
