// A race in a shared mapping of a file, seen through one address.
// EXPECT: race A B
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "invisible.h"

static int* p;

static void* work(void* unused) {
  p[10] = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  FILE* file = tmpfile();
  if (!file || ftruncate(fileno(file), 4096) != 0) return 1;
  p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  use(p[10]);  // B
  pthread_join(t, 0);
  munmap(p, 4096);
  fclose(file);
}
