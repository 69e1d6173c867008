// Accesses before create are ordered before the thread's; the thread's are ordered before the return of join.
// EXPECT: none
// OUTPUT: 3 5
#include <pthread.h>
#include <stdio.h>

static int before, inside;

static void* work(void* argument) {
  inside = before + 2;
  return argument;
}

int main(void) {
  pthread_t t;
  void* result = 0;
  before = 3;
  pthread_create(&t, 0, work, &before);
  pthread_join(t, &result);
  printf("%d %d\n", *(int*)result, inside);
}
