// An address comes back from mmap: a new life.
// EXPECT: none
// OUTPUT: 0
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include "invisible.h"

static char* map(void) {
  return mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void* first(void* unused) {
  char* p = map();
  p[100] = 1;
  munmap(p, 1 << 16);
  reach(1);
  return unused;
}

static void* second(void* value) {
  await(1);
  char* p = map();
  *(int*)value = p[100];
  p[100] = 2;
  munmap(p, 1 << 16);
  return value;
}

int main(void) {
  int value = 1;
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, &value);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", value);
}
