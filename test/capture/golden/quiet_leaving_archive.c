// An archive that is not instrumented is always called under its caller's lock.
// ARCHIVE: -DLIBRARY -fno-sanitize=thread
// EXPECT: none
// OUTPUT: 42
#ifdef LIBRARY
static int pushed;
void state_push(void) {
  pushed++;
}
int state_count(void) {
  return pushed;
}
#else
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void state_push(void);
int state_count(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  state_push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = state_count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
