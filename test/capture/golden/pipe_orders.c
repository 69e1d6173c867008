// A byte through a pipe orders what comes before write and after read.
// EXPECT: none
// OUTPUT: 5
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], value;

static void* work(void* unused) {
  value = 5;
  if (write(ends[1], "x", 1) != 1) return 0;
  return unused;
}

int main(void) {
  char byte;
  if (pipe(ends) != 0) return 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (read(ends[0], &byte, 1) != 1) return 1;
  printf("%d\n", value);
  pthread_join(t, 0);
}
