// One thread unmaps what another has written, unordered.
// PEER: misses it does not take munmap for an access
// EXPECT: race A B
#include <pthread.h>
#include <sys/mman.h>
#include "invisible.h"

static char* p;

static void* work(void* unused) {
  p[100] = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  p = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  munmap(p, 1 << 16);  // B
  pthread_join(t, 0);
}
