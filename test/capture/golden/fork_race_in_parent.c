// The parent races after a fork; the child's exit code does not matter.
// EXPECT: race A B
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  x = 2;  // B
  pthread_join(t, 0);
  return WEXITSTATUS(status) == 7 ? 0 : 1;
}
