/// \file
/// The stop flag is set under the lock.
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

bool stop = false;

void worker() {
  const Guard guard(m);
  while (!stop) pthread_cond_wait(&c, &m);
}
void stopper() {
  const Guard guard(m);
  stop = true;
  pthread_cond_broadcast(&c);
}

int main() {
  run_all({worker, worker, stopper});
}
