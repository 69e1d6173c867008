// A trylock that succeeds protects like a lock.
// EXPECT: none
// OUTPUT: 2000
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void* add(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    while (pthread_mutex_trylock(&m) != 0) sched_yield();
    ++counter;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%ld\n", counter);
}
