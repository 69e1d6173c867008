// A trywrlock that fails while a reader is inside holds nothing.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void* first(void* unused) {
  pthread_rwlock_rdlock(&l);
  use(x);  // A
  reach(1);
  await(2);
  pthread_rwlock_unlock(&l);
  return unused;
}

static void* second(void* unused) {
  await(1);
  if (pthread_rwlock_trywrlock(&l) != 0) x = 1;  // B
  reach(2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
