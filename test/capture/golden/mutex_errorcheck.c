// An error-checking mutex refuses a second lock and a foreign unlock; both refusals change nothing.
// BUILD: -D_GNU_SOURCE
// EXPECT: none
// OUTPUT: 35 1
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int x, again, foreign;

static void* first(void* unused) {
  pthread_mutex_lock(&m);
  again = pthread_mutex_lock(&m);
  x = 1;
  reach(1);
  await(2);
  x = 2;
  pthread_mutex_unlock(&m);
  return unused;
}

static void* second(void* unused) {
  await(1);
  foreign = pthread_mutex_unlock(&m);
  reach(2);
  pthread_mutex_lock(&m);
  x = 3;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d %d\n", again, foreign);
}
