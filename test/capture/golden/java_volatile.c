// A volatile variable orders, also after its object has moved.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int x;

static void* work(void* unused) {
  await(1);
  TELL(acquire, HEAP + 512 + 8);
  x = 2;
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 16);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 1;
  TELL(release_store, HEAP + 8);
  TELL(move, HEAP, HEAP + 512, 16);
  reach(1);
  pthread_join(t, 0);
}
