// A handler and the code of one thread share plain data: the code blocks the signal while it uses them.
// EXPECT: none
// OUTPUT: 200
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int count, doubled;

static void handler(int number) {
  (void)number;
  ++count;
  doubled += 2;
}
static void* work(void* unused) {
  sigset_t mask, old;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  for (int i = 0; i < 100; ++i) {
    pthread_sigmask(SIG_BLOCK, &mask, &old);
    raise(SIGUSR1);
    if (doubled != 2 * count) return NULL;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  }
  return unused;
}
int main(void) {
  signal(SIGUSR1, handler);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("%d\n", doubled);
}
