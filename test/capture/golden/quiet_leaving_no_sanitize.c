// Functions with no_sanitize keep the state that a lock guards.
// EXPECT: none
// OUTPUT: 42
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define OUTSIDE __attribute__((noinline, no_sanitize("thread"), unused)) static
static int pushed;
OUTSIDE void push(void) {
  pushed++;
}
OUTSIDE int count(void) {
  return pushed;
}

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
