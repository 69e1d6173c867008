// The position of a file is guarded by a lock; it is state of the C library.
// EXPECT: none
// OUTPUT: 42
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
FILE* file;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  fputc('x', file);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  file = tmpfile();
  if (file == 0) return 1;
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = ftell(file) > 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
