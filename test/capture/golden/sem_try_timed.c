// trywait, timedwait and clockwait that succeed take what a post gave.
// BUILD: -D_GNU_SOURCE
// PEER: reports it does not know sem_clockwait
// EXPECT: none
// OUTPUT: 3
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t s[3];
static int value[3];

static void* other(void* unused) {
  for (int i = 0; i < 3; ++i) {
    value[i] = 1;
    sem_post(&s[i]);
  }
  return unused;
}

int main(void) {
  for (int i = 0; i < 3; ++i) sem_init(&s[i], 0, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  struct timespec until, monotonic;
  clock_gettime(CLOCK_REALTIME, &until);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  until.tv_sec += 30;
  monotonic.tv_sec += 30;
  while (sem_trywait(&s[0]) != 0) sched_yield();
  int sum = value[0];
  if (sem_timedwait(&s[1], &until) == 0) sum += value[1];
  if (sem_clockwait(&s[2], CLOCK_MONOTONIC, &monotonic) == 0) sum += value[2];
  printf("%d\n", sum);
  pthread_join(t, 0);
}
