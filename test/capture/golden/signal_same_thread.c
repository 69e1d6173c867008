// A handler interrupts its own thread inside a locked section: one thread cannot race with itself.
// EXPECT: none
// OUTPUT: 40
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;

static void handler(int number) {
  (void)number;
  x = x + 1;
}

static void* work(void* unused) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&m);
    x = x + 1;
    raise(SIGUSR2);
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR2, &action, 0);
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", x);
}
