// A program queries the usable size of its blocks, and uses all of it. The ends were part of other blocks before.
// EXPECT: none
// OUTPUT: done
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

enum { kBlocks = 64 };

static void* small_blocks(void* unused) {
  char* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    blocks[i] = malloc(2000);
    memset(blocks[i], 1, 2000);
  }
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
  reach(1);
  return unused;
}

static void* other_sizes(void* unused) {
  await(1);
  for (int bytes = 1; bytes < 4000; bytes += 7) {
    char* volatile block = malloc(bytes);
    memset(block, 2, malloc_usable_size(block));
    free(block);
  }
  return unused;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);  // one heap for both threads
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  pthread_t a, b;
  pthread_create(&a, 0, small_blocks, 0);
  pthread_create(&b, 0, other_sizes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  puts("done");
}
