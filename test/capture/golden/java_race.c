// Two threads write to the same object of a virtual machine's heap.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

static void* work(void* object) {
  await(1);
  *(int*)object = 2;  // A
  return 0;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 16);
  pthread_t t;
  pthread_create(&t, 0, work, heap_memory);
  *(int*)heap_memory = 1;  // B
  reach(1);
  pthread_join(t, 0);
  TELL(free, HEAP, 16);
  if (__tsan_java_fini) return __tsan_java_fini();
}
