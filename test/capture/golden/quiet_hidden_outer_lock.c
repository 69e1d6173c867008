// Two locks are held where the library is called; the other side holds only the outer one. A recursive lock is taken again.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: -D_GNU_SOURCE %lib
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

pthread_mutex_t outer = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  library_push();
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    done = library_count() != 0;
    pthread_mutex_unlock(&outer);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
