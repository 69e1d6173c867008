// A normal mutex around every access.
// EXPECT: none
// OUTPUT: 2000
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void* add(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&m);
    ++counter;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  printf("%ld\n", counter);
}
