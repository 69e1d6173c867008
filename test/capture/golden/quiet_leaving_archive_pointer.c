// An archive that is not instrumented gives away pointers to functions of its own.
// ARCHIVE: -DLIBRARY -fno-sanitize=thread
// EXPECT: none
// OUTPUT: 42
#ifdef LIBRARY
static int pushed;
static int step(int by) {
  return pushed += by;
}
int (*state_step(void))(int) {
  return step;
}
#else
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int (*state_step(void))(int);
int (*volatile step)(int);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  step(1);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  step = state_step();
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = step(0) != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
