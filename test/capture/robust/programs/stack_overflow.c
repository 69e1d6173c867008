// Recursion without end: dies by its own fault.
#include "work.h"

static volatile int depth;

__attribute__((noinline)) static int down(int n) {
  volatile char room[1000];
  room[n % 1000] = (char)n;
  depth = n;
  return down(n + 1) + room[5];
}

int main(void) {
  work(2, 100);
  return down(0);
}
