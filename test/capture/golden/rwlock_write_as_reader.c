// Two holders of the shared lock: one of them writes.
// EXPECT: race A B
// LOCKS: A read
// LOCKS: B read
#include <pthread.h>
#include "invisible.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void* first(void* unused) {
  pthread_rwlock_rdlock(&l);
  x = 1;  // A
  pthread_rwlock_unlock(&l);
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  pthread_rwlock_rdlock(&l);
  use(x);  // B
  pthread_rwlock_unlock(&l);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
