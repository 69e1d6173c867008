// Data written to a pipe by a direct system call is ordered before its reader's direct call.
// EXPECT: none
// PEER: reports it takes no order from these hooks
#include <pthread.h>
#include "syscalls.h"

static int ends[2];
int x;

static void* work(void* unused) {
  x = 1;
  CALL(write, SYS_write, (long)ends[1], (long)"x", 1L);
  return unused;
}

int main(void) {
  char byte;
  if (CALL(pipe2, SYS_pipe2, (long)ends, 0L) != 0) return 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (CALL(read, SYS_read, (long)ends[0], (long)&byte, 1L) != 1) return 1;
  x = 2;
  pthread_join(t, 0);
}
