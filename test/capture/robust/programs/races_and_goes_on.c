// Has a race, prints its process number and runs until it is ended.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int x;

static void* work(void* unused) {
  x = 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  for (;;) pause();
}
