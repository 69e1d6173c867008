// The write comes after the byte was sent.
// EXPECT: race A B
#include <pthread.h>
#include <unistd.h>
#include "invisible.h"

static int ends[2];
int x;

static void* work(void* unused) {
  if (write(ends[1], "x", 1) != 1) return 0;
  x = 5;  // A
  reach(1);
  return unused;
}

int main(void) {
  char byte;
  if (pipe(ends) != 0) return 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (read(ends[0], &byte, 1) != 1) return 1;
  await(1);
  use(x);  // B
  pthread_join(t, 0);
}
