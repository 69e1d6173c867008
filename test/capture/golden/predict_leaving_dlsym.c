// The library's function is called under another lock.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// RUN: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
static int pushed;
void state_push(void) {
  pushed++;
}
int state_count(void) {
  return pushed;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include "invisible.h"

static void (*state_push)(void);
static int (*state_count)(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  z = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&other);
  state_push();
  pthread_mutex_unlock(&other);
  reach(1);
  return unused;
}

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (library == 0) return 1;
  state_push = (void (*)(void))dlsym(library, "state_push");
  state_count = (int (*)(void))dlsym(library, "state_count");
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
