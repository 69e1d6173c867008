// A set of System V semaphores: the first one is a lock; main waits until the second one, which counts workers, is zero.
// EXPECT: none
// OUTPUT: 400 4
// PEER: reports it does not know semaphore sets
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sem.h>

static int set;
static long total;
static int done[4];

static void operate(unsigned short number, short change) {
  struct sembuf operation = {number, change, 0};
  if (semop(set, &operation, 1) != 0) abort();
}

static void* work(void* argument) {
  for (int i = 0; i < 100; ++i) {
    operate(0, -1);
    ++total;
    operate(0, 1);
  }
  *(int*)argument = 1;
  operate(1, -1);
  return NULL;
}

int main(void) {
  set = semget(IPC_PRIVATE, 2, 0600);
  if (set < 0 || semctl(set, 0, SETVAL, 1) != 0 || semctl(set, 1, SETVAL, 4) != 0) abort();
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, &done[i]);
  operate(1, 0);
  printf("%ld %d\n", total, done[0] + done[1] + done[2] + done[3]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  semctl(set, 0, IPC_RMID);
}
