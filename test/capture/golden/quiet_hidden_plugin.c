// An instrumented library that is loaded at run time keeps its state in a table of the C library.
// LIBRARY: -DLIBRARY
// RUN: %lib
// EXPECT: none
// OUTPUT: 42
#include <search.h>
#ifdef LIBRARY
void plugin_push(void) {
  ENTRY entry = {"done", 0};
  hsearch(entry, ENTER);
}
int plugin_has(void) {
  ENTRY entry = {"done", 0};
  return hsearch(entry, FIND) != 0;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void (*push)(void);
int (*has)(void);
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main(int count, char** arguments) {
  void* plugin = count == 2 ? dlopen(arguments[1], RTLD_LAZY) : 0;
  if (plugin == 0) return 1;
  push = (void (*)(void))dlsym(plugin, "plugin_push");
  has = (int (*)(void))dlsym(plugin, "plugin_has");
  hcreate(16);
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = has();
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
