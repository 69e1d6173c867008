// A trywait that fails takes nothing.
// EXPECT: race A B
#include <pthread.h>
#include <semaphore.h>
#include "invisible.h"

static sem_t s;
int x;

static void* other(void* unused) {
  x = 1;  // A
  reach(1);
  await(2);
  sem_post(&s);
  return unused;
}

int main(void) {
  sem_init(&s, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  if (sem_trywait(&s) != 0) x = 2;  // B
  reach(2);
  pthread_join(t, 0);
}
