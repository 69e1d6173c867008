// Has its own allocator, which starts a thread while it holds its lock. The new thread needs memory from the allocator
// before it can begin.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char heap[1 << 24];
static size_t used;

void* malloc(size_t bytes) {
  pthread_mutex_lock(&mutex);
  size_t* const block = (size_t*)(heap + used);
  *block = bytes;
  used += (bytes + 31) / 16 * 16;
  pthread_mutex_unlock(&mutex);
  return (char*)block + 16;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* old, size_t bytes) {
  void* const block = malloc(bytes);
  if (old != 0) {
    const size_t before = *(size_t*)((char*)old - 16);
    memcpy(block, old, before < bytes ? before : bytes);
  }
  return block;
}

static void* work(void* unused) {
  (void)malloc(8);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_attr_init(&attributes);
    pthread_create(&threads[i], &attributes, work, 0);
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  printf("done\n");
  return 0;
}
