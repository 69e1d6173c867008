// A library without instrumentation races with itself through a function of the C library; an option leaves that out.
// LIBRARY: -DLIBRARY -fno-sanitize=thread -fno-builtin
// RUN: %lib
// ENV: OMEN_OPTIONS=ignore_noninstrumented_modules=1
// EXPECT: race A B
// PEER: reports the library's race too: its option has another name
#ifdef LIBRARY
#include <string.h>
char inside[64];
void library_work(int value) {
  memset(inside, value, sizeof inside);
  __asm__ volatile("" ::: "memory");  // so that the call is no jump
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include "invisible.h"

static void (*library_work)(int);
int x;

static void* work(void* unused) {
  await(1);
  library_work(1);
  x = 1;  // A
  return unused;
}

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (library == 0) return 1;
  library_work = (void (*)(int))dlsym(library, "library_work");
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  library_work(2);
  x = 2;  // B
  reach(1);
  pthread_join(t, 0);
}
#endif
