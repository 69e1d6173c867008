// What scanf does not store: conversions that are suppressed, or that the text does not reach.
// EXPECT: none
// OUTPUT: 1 0
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

int first, second, third, skipped, reached;

static void* other(void* unused) {
  const int got = sscanf("1 x", "%d %d%n", &first, &second, &reached);
  const int none = sscanf("x", "%*d%d", &third);
  printf("%d %d\n", got, none);
  fflush(stdout);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  second = third = reached = 1;
  pthread_join(t, 0);
}
