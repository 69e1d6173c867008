// A lock is found taken, and its holder continues: it may do so before the other thread writes. Attempts of every kind.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A B predicted
// RUN: mutex
// RUN: mutex-timed
// RUN: mutex-clock
// RUN: spin
// RUN: c11
// RUN: c11-timed
// RUN: read
// RUN: read-timed
// RUN: write
// RUN: write-timed
// RUN: write-reader
// RUN: write-timed-reader
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include "invisible.h"

static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s;
static mtx_t c;
static const char* how;
int z;

static int is(const char* name) {
  return strcmp(how, name) == 0;
}

static void take(void) {
  if (strncmp(how, "mutex", 5) == 0) pthread_mutex_lock(&m);
  if (is("spin")) pthread_spin_lock(&s);
  if (strncmp(how, "c11", 3) == 0) mtx_lock(&c);
  if (is("write-reader") || is("write-timed-reader")) pthread_rwlock_rdlock(&l);
  if (is("read") || is("read-timed") || is("write") || is("write-timed")) pthread_rwlock_wrlock(&l);
}

static void give(void) {
  if (strncmp(how, "mutex", 5) == 0) pthread_mutex_unlock(&m);
  if (is("spin")) pthread_spin_unlock(&s);
  if (strncmp(how, "c11", 3) == 0) mtx_unlock(&c);
  if (strncmp(how, "write", 5) == 0 || strncmp(how, "read", 4) == 0) pthread_rwlock_unlock(&l);
}

/// An attempt: is it taken?
static int taken(void) {
  struct timespec real, monotonic;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  if (is("mutex")) return pthread_mutex_trylock(&m) == EBUSY;
  if (is("mutex-timed")) return pthread_mutex_timedlock(&m, &real) == ETIMEDOUT;
  if (is("mutex-clock")) return pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT;
  if (is("spin")) return pthread_spin_trylock(&s) == EBUSY;
  if (is("c11")) return mtx_trylock(&c) == thrd_busy;
  if (is("c11-timed")) return mtx_timedlock(&c, &real) == thrd_timedout;
  if (is("read")) return pthread_rwlock_tryrdlock(&l) == EBUSY;
  if (is("read-timed")) return pthread_rwlock_timedrdlock(&l, &real) == ETIMEDOUT;
  if (is("write") || is("write-reader")) return pthread_rwlock_trywrlock(&l) == EBUSY;
  return pthread_rwlock_timedwrlock(&l, &real) == ETIMEDOUT;
}

static void* first(void* unused) {
  take();
  reach(1);
  await(2);
  give();
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  z = 1;  // A
  return unused;
}

static void* second(void* unused) {
  await(1);
  const int busy = taken();
  if (busy) z = 2;  // B
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  reach(2);
  return unused;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  how = arguments[1];
  pthread_spin_init(&s, 0);
  mtx_init(&c, mtx_timed);
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
