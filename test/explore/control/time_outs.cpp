/// \file
/// Everything that can run out of time does, in the virtual time and in its order.
#include <semaphore.h>
#include <cerrno>
#include <chrono>
#include <thread>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

timespec in(long nanoseconds) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += (now.tv_nsec + nanoseconds) / 1000000000;
  now.tv_nsec = (now.tv_nsec + nanoseconds) % 1000000000;
  return now;
}
sem_t never;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void waits() {
  const timespec second = in(900000000);
  assert(pthread_mutex_timedlock(&m, &second) == ETIMEDOUT);
  assert(pthread_rwlock_timedrdlock(&lock, &second) == ETIMEDOUT);
  assert(sem_timedwait(&never, &second) == -1 && errno == ETIMEDOUT);
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
  const timespec later = in(900000000);
  int result = 0;
  while (result == 0) result = pthread_cond_timedwait(&c, &own, &later);
  assert(result == ETIMEDOUT);
  pthread_mutex_unlock(&own);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  assert(now.tv_sec > later.tv_sec || (now.tv_sec == later.tv_sec && now.tv_nsec >= later.tv_nsec));
}

int main() {
  sem_init(&never, 0, 0);
  const Guard guard(m);
  pthread_rwlock_wrlock(&lock);
  run_all({waits, waits});
  pthread_rwlock_unlock(&lock);
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::hours(1));  // takes no real time
  assert(std::chrono::steady_clock::now() - begin >= std::chrono::hours(1));
}
