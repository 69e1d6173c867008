// Inline assembly writes and reads the state that a lock guards.
// EXPECT: none
// OUTPUT: 42
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static int pushed;
__attribute__((unused)) static void push(void) {
  __asm__ volatile("incl %0" : "+m"(pushed));
}
__attribute__((unused)) static int count(void) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(pushed));
  return value;
}

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
