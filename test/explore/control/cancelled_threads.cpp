/// \file
/// Threads are cancelled in waits; the clean-up has the mutex.
#include <semaphore.h>
#include <unistd.h>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

sem_t never;
int cleaned = 0;

void clean_up(void*) {
  ++cleaned;
  pthread_mutex_unlock(&m);
}
void* in_condition(void*) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(clean_up, nullptr);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(0);
  return nullptr;
}
void* in_semaphore(void*) {
  sem_wait(&never);
  return nullptr;
}
void* in_sleep(void*) {
  for (;;) sleep(1);
}

int main() {
  sem_init(&never, 0, 0);
  pthread_t threads[3];
  void* (*const bodies[3])(void*) = {in_condition, in_semaphore, in_sleep};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, bodies[i], nullptr);
  for (const pthread_t thread : threads) {
    void* result = nullptr;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
  }
  const Guard guard(m);
  assert(cleaned <= 1);
}
