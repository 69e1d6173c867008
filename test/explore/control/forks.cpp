/// \file
/// A child runs freely, and its end is waited for.
#include <sys/wait.h>
#include <unistd.h>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void forks() {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}
void works() {
  for (int i = 0; i < 10; ++i) const Guard guard(m);
}

int main() {
  run_all({forks, works});
}
