// Two threads wait for a semaphore that was made with a value for both: a wait releases nothing, so they race.
// EXPECT: race A B
#include <pthread.h>
#include <semaphore.h>
#include "invisible.h"

static sem_t semaphore;
int x;

static void* other(void* unused) {
  x = 1;  // A
  sem_wait(&semaphore);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  sem_init(&semaphore, 0, 2);
  pthread_create(&t, 0, other, 0);
  await(1);
  sem_wait(&semaphore);
  use(x);  // B
  pthread_join(t, 0);
  sem_destroy(&semaphore);
}
