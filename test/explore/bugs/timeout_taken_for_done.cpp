/// \file
/// A wait that ran out of time is taken for one that was signalled.
// finds: assertion
#include <unistd.h>
#include <ctime>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

bool ready = false;

void waiter() {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  const Guard guard(m);
  if (!ready) pthread_cond_timedwait(&c, &m, &until);
  assert(ready);
}
void signaller() {
  usleep(2000);
  const Guard guard(m);
  ready = true;
  pthread_cond_signal(&c);
}

int main() {
  run_all({waiter, signaller});
}
