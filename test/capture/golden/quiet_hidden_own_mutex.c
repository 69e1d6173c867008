// A library that is not instrumented guards its state with a mutex of its own, which is seen.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: none
// OUTPUT: 42
#include <pthread.h>
#ifdef LIBRARY
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static int pushed;
void library_push(void) {
  pthread_mutex_lock(&own);
  pushed++;
  pthread_mutex_unlock(&own);
}
int library_count(void) {
  pthread_mutex_lock(&own);
  const int now = pushed;
  pthread_mutex_unlock(&own);
  return now;
}
#else
#include <sched.h>
#include <stdio.h>

void library_push(void);
int library_count(void);

int result;

static void* produce(void* unused) {
  result = 42;
  library_push();
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  while (library_count() == 0) sched_yield();
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
