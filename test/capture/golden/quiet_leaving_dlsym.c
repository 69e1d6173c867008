// A library that is not instrumented is called through pointers that dlsym gave.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// RUN: %lib
// EXPECT: none
// OUTPUT: 42
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
#include <sched.h>
#include <stdio.h>

static void (*state_push)(void);
static int (*state_count)(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  state_push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (library == 0) return 1;
  state_push = (void (*)(void))dlsym(library, "state_push");
  state_count = (int (*)(void))dlsym(library, "state_count");
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = state_count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
