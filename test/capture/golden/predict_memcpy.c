// A block copy and a write into its source.
// BUILD: -fno-builtin
// EXPECT: race A B predicted
#include <pthread.h>
#include <string.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char from[256], to[256];

static void* first(void* unused) {
  memcpy(to, from, sizeof from);  // A
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  await(1);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  from[77] = 1;  // B
  pthread_join(t, 0);
}
