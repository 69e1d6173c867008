// Copies standard input to standard output, through a thread.
#include <stdio.h>
#include <unistd.h>
#include "work.h"

static void* copy(void* unused) {
  char buffer[4096];
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;) {
    if (write(1, buffer, (size_t)n) != n) return 0;
  }
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, copy, 0);
  pthread_join(t, 0);
  return 6;
}
