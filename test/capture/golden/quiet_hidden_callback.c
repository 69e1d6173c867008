// A library without instrumentation calls back; the callback takes a lock and calls the library again.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: none
// OUTPUT: 42
#ifdef LIBRARY
static int pushed;
void library_push(void) { pushed++; }
int library_count(void) { return pushed; }
void library_call(void (*callback)(void)) {
  callback();
  __asm__ volatile("" ::: "memory");  // so that the call is no jump
}
#else
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void library_push(void);
int library_count(void);
void library_call(void (*callback)(void));

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;
int done;  // of the main thread only

static void push(void) {
  pthread_mutex_lock(&m);
  library_push();
  pthread_mutex_unlock(&m);
}
static void look(void) {
  pthread_mutex_lock(&m);
  done = library_count() != 0;
  pthread_mutex_unlock(&m);
}

static void* produce(void* unused) {
  result = 42;
  library_call(push);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  while (!done) {
    library_call(look);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
