// Unnamed semaphores pass a value to and fro.
// EXPECT: none
// OUTPUT: 20
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ping, pong;
static int value;

static void* other(void* unused) {
  for (int i = 0; i < 10; ++i) {
    sem_wait(&ping);
    ++value;
    sem_post(&pong);
  }
  return unused;
}

int main(void) {
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  for (int i = 0; i < 10; ++i) {
    ++value;
    sem_post(&ping);
    sem_wait(&pong);
  }
  pthread_join(t, 0);
  sem_destroy(&ping);
  sem_destroy(&pong);
  printf("%d\n", value);
}
