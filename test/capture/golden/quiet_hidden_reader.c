// A library without instrumentation is called under a reader/writer lock.
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

pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_rwlock_wrlock(&m);
  library_push();
  pthread_rwlock_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_rwlock_rdlock(&m);
    done = library_count() != 0;
    pthread_rwlock_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
