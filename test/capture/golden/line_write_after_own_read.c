// A thread reads a variable, writes it in a later epoch, and its neighbour in a third one: the other threads know only the read.
// EXPECT: race A B
#include <pthread.h>
#include <stdalign.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static struct {
  alignas(64) volatile long b;
  volatile long c;
} line;

static void* first(void* unused) {
  use(line.b);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  line.b = 1;  // A
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  line.c = 2;
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  line.b = 3;  // B
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
