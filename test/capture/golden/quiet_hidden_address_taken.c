// A library that is not instrumented is called under a lock; the addresses of its functions are used as data too.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
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
void (*volatile address)(void);
int (*volatile other_address)(void);

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  library_push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  address = library_push;
  other_address = library_count;
  if (address != library_push || other_address != library_count) return 1;
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
