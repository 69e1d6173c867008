// A collector moves an object while its lock is held: it is the same lock afterwards, and guards as before.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int guarded;

static void* work(void* unused) {
  await(1);
  TELL(mutex_lock, HEAP + 1024 + 8);
  ++guarded;
  TELL(mutex_unlock, HEAP + 1024 + 8);
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 64);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  TELL(mutex_lock, HEAP + 8);
  ++guarded;
  TELL(move, HEAP, HEAP + 1024, 64);
  ++guarded;
  TELL(mutex_unlock, HEAP + 1024 + 8);
  reach(1);
  pthread_join(t, 0);
}
