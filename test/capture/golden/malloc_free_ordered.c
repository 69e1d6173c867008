// Another thread frees, ordered by join; and by a mutex with a flag.
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p, *q, ready;

static void* release(void* unused) {
  free(p);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = ready;
    pthread_mutex_unlock(&m);
  }
  free(q);
  return unused;
}

int main(void) {
  p = malloc(sizeof *p);
  q = malloc(sizeof *q);
  *p = 1;
  pthread_t t;
  pthread_create(&t, 0, release, 0);
  *q = 2;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
