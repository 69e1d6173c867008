// An object has moved away. A lock at its old address is another object's lock, and guards nothing of the first.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int x;

static void* work(void* unused) {
  await(1);
  TELL(mutex_lock, HEAP + 8);
  x = 2;  // A
  TELL(mutex_unlock, HEAP + 8);
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 64);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  TELL(mutex_lock, HEAP + 8);
  x = 1;  // B
  TELL(mutex_unlock, HEAP + 8);
  TELL(move, HEAP, HEAP + 1024, 64);
  TELL(alloc, HEAP, 64);
  reach(1);
  pthread_join(t, 0);
}
