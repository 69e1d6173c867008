// A structure is passed by value, in memory: the call reads it.
// EXPECT: race A B
// PEER: misses the instrumentation has no check of what a call copies
#include <pthread.h>
#include "invisible.h"

struct Large {
  long numbers[8];
};

struct Large shared;

__attribute__((noinline)) static long second(struct Large copy) {
  __asm__ volatile("" ::"r"(&copy) : "memory");
  return copy.numbers[1];
}

static void* writer(void* unused) {
  shared.numbers[1] = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  await(1);
  use(second(shared));  // B
  pthread_join(thread, 0);
}
