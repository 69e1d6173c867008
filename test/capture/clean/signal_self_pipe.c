// A handler writes to a pipe; the loop that reads it does the work in its own thread.
// EXPECT: none
// OUTPUT: 3
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static int handled;

static void handler(int number) {
  (void)number;
  const char byte = 1;
  if (write(ends[1], &byte, 1) != 1) _exit(1);
}
static void* loop(void* unused) {
  char byte;
  while (handled < 3 && read(ends[0], &byte, 1) == 1) ++handled;
  return unused;
}
int main(void) {
  if (pipe(ends) != 0) return 1;
  signal(SIGUSR1, handler);
  pthread_t thread;
  pthread_create(&thread, NULL, loop, NULL);
  for (int i = 0; i < 3; ++i) raise(SIGUSR1);
  pthread_join(thread, NULL);
  printf("%d\n", handled);
}
