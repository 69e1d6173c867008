// An unlock that an error-checking or a recursive mutex refuses is no release: it orders nothing.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A B
// EXPECT: race C D
// OUTPUT: 1 1
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

static pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x, y, refused, refused_too;

static void* other(void* unused) {
  x = 1;  // A
  refused = pthread_mutex_unlock(&checks);
  y = 1;  // C
  refused_too = pthread_mutex_unlock(&recursive);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  pthread_mutex_lock(&checks);
  use(x);  // B
  pthread_mutex_unlock(&checks);
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  use(y);  // D
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  pthread_join(t, 0);
  printf("%d %d\n", refused, refused_too);
}
