// pthread_exit from a nested function; its result reaches the joiner, and so do the thread's writes.
// EXPECT: none
// OUTPUT: 4 8
#include <pthread.h>
#include <stdio.h>

static int value, result = 8;

static void leave(void) {
  value = 4;
  pthread_exit(&result);
}

static void* work(void* unused) {
  leave();
  return unused;
}

int main(void) {
  pthread_t t;
  void* r = 0;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, &r);
  printf("%d %d\n", value, *(int*)r);
}
