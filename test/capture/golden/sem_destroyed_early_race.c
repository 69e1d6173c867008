// A semaphore is destroyed while another thread uses it.
// EXPECT: race A B
#include <pthread.h>
#include <semaphore.h>
#include "invisible.h"

static sem_t semaphore;

static void* other(void* unused) {
  sem_post(&semaphore);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  sem_init(&semaphore, 0, 0);
  pthread_create(&t, 0, other, 0);
  await(1);
  sem_destroy(&semaphore);  // B
  pthread_join(t, 0);
}
