// main leaves by pthread_exit; the other thread ends the process with its own code.
// PEER: skip it ends the process with the first thread
// EXPECT: none
// EXIT: 5
// OUTPUT: late
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void* work(void* unused) {
  pthread_join(first, 0);
  puts("late");
  exit(5);
  return unused;
}

int main(void) {
  first = pthread_self();
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_detach(t);
  pthread_exit(0);
}
