// Prints its process number and waits for SIGTERM; its handler ends it with its own exit code.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "work.h"

static void stop(int number) {
  (void)number;
  _exit(9);
}

int main(void) {
  signal(SIGTERM, stop);
  work(2, 100);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  for (;;) pause();
}
