// Freed memory and the target of a moved block begin a new life: the threads use different objects.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

static void* work(void* unused) {
  await(1);
  *(int*)heap_memory = 2;
  *(int*)(heap_memory + 1024) = 2;
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 64);
  TELL(alloc, HEAP + 1024, 64);
  TELL(alloc, HEAP + 2048, 64);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  *(int*)heap_memory = 1;
  *(int*)(heap_memory + 1024) = 1;
  TELL(free, HEAP, 64);
  TELL(alloc, HEAP, 64);
  TELL(free, HEAP + 1024, 64);
  TELL(move, HEAP + 2048, HEAP + 1024, 64);
  reach(1);
  pthread_join(t, 0);
}
