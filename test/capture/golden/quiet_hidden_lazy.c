// A library that is not instrumented is called under a lock. Functions are bound at their first call, in a program at a fixed address.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: -fno-pie -no-pie -Wl,-z,lazy,-z,norelro %lib
// EXPECT: none
// OUTPUT: 42
#ifdef LIBRARY
static int pushed;
void library_push(void) { pushed++; }
int library_count(void) { return pushed; }
#else
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void library_push(void);
int library_count(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  library_push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = library_count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
