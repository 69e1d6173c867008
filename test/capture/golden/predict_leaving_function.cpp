// The target of the std::function is called under another lock.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
static int pushed;
static int step(int by) {
  return pushed += by;
}
int (*state_step())(int) {
  return step;
}
#else
#include <pthread.h>
#include <functional>
#include "invisible.h"

int (*state_step())(int);
static std::function<int(int)> step;

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  z = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&other);
  step(1);
  pthread_mutex_unlock(&other);
  reach(1);
  return unused;
}

int main() {
  step = state_step();
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
