// A lock that is held recursively is released completely, as by a wait: the accesses after that are not guarded.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int x;

static void* work(void* unused) {
  int times = 3;
  TELL(mutex_lock, HEAP + 8);
  TELL(mutex_lock, HEAP + 8);
  TELL(mutex_lock, HEAP + 8);
  if (__tsan_java_mutex_unlock_rec) times = __tsan_java_mutex_unlock_rec(HEAP + 8);
  if (times != 3) _exit(1);
  x = 1;  // A
  reach(1);
  await(2);
  TELL(mutex_lock_rec, HEAP + 8, times);
  TELL(mutex_unlock, HEAP + 8);
  TELL(mutex_unlock, HEAP + 8);
  TELL(mutex_unlock, HEAP + 8);
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 16);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  TELL(mutex_lock, HEAP + 8);
  x = 2;  // B
  TELL(mutex_unlock, HEAP + 8);
  reach(2);
  pthread_join(t, 0);
}
