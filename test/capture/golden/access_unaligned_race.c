// Two unaligned accesses across the border of two cells overlap in one byte.
// EXPECT: race A B
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

struct __attribute__((packed)) Packed {
  char head[6];
  uint64_t wide;
  char tail[2];
};

_Alignas(16) struct Packed p;

static void* work(void* unused) {
  p.wide = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  ((char*)&p)[13] = 2;  // B
  pthread_join(t, 0);
}
