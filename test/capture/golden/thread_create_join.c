// What happens before create is seen by the thread, what it does is seen after join.
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
