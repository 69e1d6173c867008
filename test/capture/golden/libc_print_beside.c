// Memory that printf does not touch: after the end of its output, beyond a precision, after the end of a text.
// EXPECT: none
// OUTPUT: 123 abc
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "invisible.h"

char into[64], text[64] = "abcdef", second[64] = "x";
int unused_count;

static void* other(void* unused) {
  snprintf(into, sizeof into, "%d", 123);
  char local[64];
  snprintf(local, sizeof local, "%.3s%.1s", text, second);
  printf("%s %.3s\n", into, local);
  fflush(stdout);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  into[4] = 'x';
  text[3] = 'y';
  second[2] = 'z';
  pthread_join(t, 0);
}
