/* A thread for each pair of neighbours and each pass compares and swaps them, under the lock of the left one only. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kItems = 6, kPasses = 5 };
static int item[kItems] = {6, 3, 5, 1, 4, 2};
static pthread_mutex_t guard[kItems] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                        PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* bubble(void* p) {
  const intptr_t i = (intptr_t)p;
  pthread_mutex_lock(&guard[i]);
  if (item[i] > item[i + 1]) {
    const int t = item[i];
    item[i] = item[i + 1];
    item[i + 1] = t;
  }
  pthread_mutex_unlock(&guard[i]);
  return p;
}
int main(void) {
  pthread_t thread[kPasses * (kItems - 1)];
  int count = 0;
  for (int pass = 0; pass < kPasses; pass++) {
    for (intptr_t i = 0; i + 1 < kItems; i++) pthread_create(&thread[count++], 0, bubble, (void*)i);
  }
  for (int i = 0; i < count; i++) pthread_join(thread[i], 0);
  for (int i = 0; i < kItems; i++) printf("%d%c", item[i], i + 1 < kItems ? ' ' : '\n');
}
