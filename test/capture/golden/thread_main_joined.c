// Another thread joins the first one, which has ended by pthread_exit: all of its events are ordered before the join.
// PEER: skip it ends the process with the first thread
// EXPECT: none
// EXIT: 3
// OUTPUT: 42
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;
static int x;
static pthread_key_t key;

static void at_end(void* unused) {
  (void)unused;
  ++x;
}

static void* work(void* unused) {
  pthread_join(first, 0);
  printf("%d\n", x);
  fflush(stdout);
  exit(3);
  return unused;
}

int main(void) {
  first = pthread_self();
  pthread_key_create(&key, at_end);
  pthread_setspecific(key, &x);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_detach(t);
  x = 41;
  pthread_exit(0);
}
