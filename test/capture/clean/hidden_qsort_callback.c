// qsort calls back into instrumented code that counts under a lock; the arrays are private.
// EXPECT: none
// OUTPUT: sorted 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long compared;

static int compare(const void* a, const void* b) {
  pthread_mutex_lock(&mutex);
  ++compared;
  pthread_mutex_unlock(&mutex);
  return *(const int*)a - *(const int*)b;
}
static void* work(void* argument) {
  int* values = argument;
  qsort(values, 50, sizeof *values, compare);
  return NULL;
}
int main(void) {
  static int a[50], b[50];
  for (int i = 0; i < 50; ++i) a[i] = b[i] = i * 7 % 50;
  pthread_t one, two;
  pthread_create(&one, NULL, work, a);
  pthread_create(&two, NULL, work, b);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  printf("sorted %d\n", a[49] == 49 && b[0] == 0 && compared > 100);
}
