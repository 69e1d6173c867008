// The allocator reuses a block for a smaller size, in a thread that the runtime sees no order with. The unused bytes at its end
// belong to no object.
// ENV: MALLOC_ARENA_MAX=1
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

enum { kBlocks = 300 };

static void use_blocks(size_t bytes) {
  char* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    blocks[i] = malloc(bytes);
    blocks[i][bytes - 1] = 1;
  }
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
}

static void* work(void* unused) {
  free(malloc(1));  // allocates the allocator's data of this thread first
  reach(1);
  await(2);
  use_blocks(986);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  use_blocks(1000);
  reach(2);
  pthread_join(t, 0);
}
