// Signals are blocked everywhere; one thread waits for them and reads what was written before pthread_kill.
// EXPECT: none
// OUTPUT: 10
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int order;
static pthread_barrier_t barrier;

static void* waiter(void* mask) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    int number = 0;
    sigwait(mask, &number);
    sum += order;
    pthread_barrier_wait(&barrier);
  }
  printf("%d\n", sum);
  return NULL;
}
int main(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, &mask);
  for (int i = 1; i <= 4; ++i) {
    order = i;
    pthread_kill(thread, SIGUSR1);
    pthread_barrier_wait(&barrier);
  }
  pthread_join(thread, NULL);
}
