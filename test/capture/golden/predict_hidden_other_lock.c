// The library is called under one lock, and before the other is taken: the sections of the latter stay transparent.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
static int pushed;
void library_push(void) { pushed++; }
int library_count(void) { return pushed; }
#else
#include <pthread.h>
#include "invisible.h"

void library_push(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t ones = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t others = PTHREAD_MUTEX_INITIALIZER;
int x;

static void section(pthread_mutex_t* own) {
  pthread_mutex_lock(own);
  library_push();
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(own);
}

static void* work(void* unused) {
  x = 1;  // A
  section(&ones);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  section(&others);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
