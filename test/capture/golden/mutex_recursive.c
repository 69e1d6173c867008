// The inner unlock of a recursive mutex does not end the section.
// EXPECT: none
// OUTPUT: 400
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;
static long counter;

static void add(int depth) {
  pthread_mutex_lock(&m);
  ++counter;
  if (depth > 0) add(depth - 1);
  ++counter;
  pthread_mutex_unlock(&m);
}

static void* work(void* unused) {
  for (int i = 0; i < 25; ++i) add(3);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attributes);
  pthread_mutexattr_destroy(&attributes);
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_mutex_destroy(&m);
  printf("%ld\n", counter);
}
