// One side forgot the spinlock.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_spinlock_t s;
int x;

static void* first(void* unused) {
  pthread_spin_lock(&s);
  x = 1;  // A
  pthread_spin_unlock(&s);
  reach(1);
  return unused;
}

int main(void) {
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  pthread_t a;
  pthread_create(&a, 0, first, 0);
  await(1);
  use(x);  // B
  pthread_join(a, 0);
  pthread_spin_destroy(&s);
}
