// Prints its process number after some work, then runs for ever.
#include <stdio.h>
#include <unistd.h>
#include "work.h"

int main(void) {
  work(2, 1000);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  for (;;) work(1, 1000);
}
