// The inline assembly is in a section on another lock.
// EXPECT: race A B predicted
#include <pthread.h>
#include "invisible.h"

static int pushed;
__attribute__((unused)) static void push(void) {
  __asm__ volatile("incl %0" : "+m"(pushed));
}
__attribute__((unused)) static int count(void) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(pushed));
  return value;
}

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  z = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&other);
  push();
  pthread_mutex_unlock(&other);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
