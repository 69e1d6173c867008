// Workers post once each; main waits as often and reads all their results.
// EXPECT: none
// OUTPUT: 60
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int results[4];

static void* work(void* argument) {
  int* result = argument;
  *result = 15;
  sem_post(&done);
  return NULL;
}
int main(void) {
  sem_init(&done, 0, 0);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, &results[i]);
  for (int i = 0; i < 4; ++i)
    while (sem_wait(&done) != 0) {
    }
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += results[i];
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  sem_destroy(&done);
  printf("%d\n", sum);
}
