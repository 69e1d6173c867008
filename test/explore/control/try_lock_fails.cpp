/// \file
/// An attempt fails while the lock is held by a thread that waits for it to fail.
#include <semaphore.h>
#include <cerrno>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

sem_t held;
sem_t tried;

void holder() {
  const Guard guard(m);
  sem_post(&held);
  sem_wait(&tried);
}
void trier() {
  sem_wait(&held);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  sem_post(&tried);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
}

int main() {
  sem_init(&held, 0, 0);
  sem_init(&tried, 0, 0);
  run_all({holder, trier});
}
