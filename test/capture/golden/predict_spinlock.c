// Spinlocks are locks too.
// EXPECT: race A B predicted
#include <pthread.h>
#include "invisible.h"

static pthread_spinlock_t s;
int x;

static void* first(void* unused) {
  x = 1;  // A
  pthread_spin_lock(&s);
  pthread_spin_unlock(&s);
  reach(1);
  return unused;
}

int main(void) {
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  await(1);
  pthread_spin_lock(&s);
  pthread_spin_unlock(&s);
  x = 2;  // B
  pthread_join(t, 0);
}
