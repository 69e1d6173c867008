// A thousand threads that are all alive at once.
#include <stdio.h>
#include "work.h"

static pthread_barrier_t all;
static int sum;

static void* add(void* unused) {
  pthread_barrier_wait(&all);
  pthread_mutex_lock(&work_mutex);
  ++sum;
  pthread_mutex_unlock(&work_mutex);
  return unused;
}

int main(void) {
  static pthread_t t[1000];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_barrier_init(&all, 0, 1000);
  for (int i = 0; i < 1000; ++i) {
    if (pthread_create(&t[i], &small, add, 0) != 0) return 2;
  }
  for (int i = 0; i < 1000; ++i) pthread_join(t[i], 0);
  printf("%d\n", sum);
}
