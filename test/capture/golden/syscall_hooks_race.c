// One thread reads into memory by a system call of its own making while another writes it out by one.
// EXPECT: race A B
// EXPECT: race C D
// PEER: misses it does not look at most of what the kernel writes
#include <pthread.h>
#include <time.h>
#include "invisible.h"
#include "syscalls.h"

static int ends[2];
char buffer[16];
struct timespec now;

static void* work(void* unused) {
  await(1);
  CALL(write, SYS_write, (long)ends[1], (long)buffer, 16L);  // A
  use(now.tv_sec);                                           // C
  return unused;
}

int main(void) {
  if (CALL(pipe2, SYS_pipe2, (long)ends, 0L) != 0) return 1;
  if (CALL(write, SYS_write, (long)ends[1], (long)buffer, 16L) != 16) return 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (CALL(read, SYS_read, (long)ends[0], (long)buffer, 16L) != 16) return 1;  // B
  CALL(clock_gettime, SYS_clock_gettime, (long)CLOCK_REALTIME, (long)&now);    // D
  reach(1);
  pthread_join(t, 0);
}
