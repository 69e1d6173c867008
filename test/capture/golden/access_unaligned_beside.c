// Unaligned accesses that touch, and do not overlap.
// EXPECT: none
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

struct __attribute__((packed)) Packed {
  char head[3];
  uint64_t first;
  uint32_t second;
  uint16_t third;
};

_Alignas(32) struct Packed p;

static void* work(void* unused) {
  p.first = 1;
  p.third = 3;
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  p.head[2] = 1;
  p.second = 2;
  pthread_join(t, 0);
  use((long)p.first + p.third);
}
