// Memory freed by one thread is handed to another by malloc: a new life, no race with the old one.
// EXPECT: none
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

enum { size = 5000 };  // too large for the caches that threads have of their own

static void* first(void* unused) {
  for (int i = 0; i < 20; ++i) {
    char* p = malloc(size);
    memset(p, 1, size);
    free(p);
  }
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  for (int i = 0; i < 20; ++i) {
    int* p = malloc(size);
    for (int k = 0; k < 100; ++k) p[k] = k;
    use(p[7]);
    free(p);
  }
  return unused;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
