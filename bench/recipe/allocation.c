/* Threads take blocks from a vector of free ones: the search looks at a block without its lock, and takes it with it. */
#include <pthread.h>
#include <stdio.h>

enum { kBlocks = 4, kThreads = 2 };
static int taken[kBlocks];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int failures;

static int find_free(void) {
  for (int i = 0; i < kBlocks; i++) {
    if (!taken[i]) return i;
  }
  return -1;
}
static int take(int block) {
  int ok = 0;
  pthread_mutex_lock(&guard);
  if (!taken[block]) ok = taken[block] = 1;
  pthread_mutex_unlock(&guard);
  return ok;
}
static void* worker(void* p) {
  for (int round = 0; round < 2; round++) {
    const int block = find_free();
    if (block < 0 || !take(block)) {
      failures++;
      continue;
    }
    if (round == 0) taken[block] = 0;
  }
  return p;
}
int main(void) {
  pthread_t thread[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&thread[i], 0, worker, 0);
  for (int i = 0; i < kThreads; i++) pthread_join(thread[i], 0);
  printf("%d\n", failures);
}
