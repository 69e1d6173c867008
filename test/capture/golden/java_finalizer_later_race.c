// Actions of a thread after the finalizer has begun are not ordered with it.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* finalizes(void* unused) {
  TELL(finalize);
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  pthread_t t;
  pthread_create(&t, 0, finalizes, 0);
  await(1);
  pthread_mutex_lock(&mutex);
  x = 2;  // B
  pthread_mutex_unlock(&mutex);
  pthread_join(t, 0);
}
