// longjmp out of a section; the lock is still held and is released after the jump.
// EXPECT: none
// OUTPUT: 40
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void inside(jmp_buf place) {
  pthread_mutex_lock(&m);
  ++x;
  longjmp(place, 1);
}

static void* work(void* unused) {
  for (volatile int i = 0; i < 20; i = i + 1) {
    jmp_buf place;
    if (setjmp(place) == 0) inside(place);
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", x);
}
