// C11 threads, mutexes, condition variables, call_once and thread-specific storage.
// PEER: skip it does not know the C11 functions
// EXPECT: none
// OUTPUT: 60 1
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include "invisible.h"

static mtx_t m, timed;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int counter, ready, prepared;

static void prepare(void) {
  ++prepared;
}

static int work(void* argument) {
  struct timespec until;
  call_once(&flag, prepare);
  use(prepared);
  tss_set(key, argument);
  for (int i = 0; i < 10; ++i) {
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 30;
    mtx_lock(&m);
    ++counter;
    mtx_unlock(&m);
    if (mtx_timedlock(&timed, &until) != thrd_success) return 1;
    mtx_lock(&m);
    ++counter;
    mtx_unlock(&m);
    mtx_unlock(&timed);
    while (mtx_trylock(&m) != thrd_success) thrd_yield();
    ++counter;
    mtx_unlock(&m);
  }
  mtx_lock(&m);
  ++ready;
  cnd_signal(&c);
  mtx_unlock(&m);
  return 0;
}

int main(void) {
  mtx_init(&m, mtx_plain);
  mtx_init(&timed, mtx_timed);
  cnd_init(&c);
  tss_create(&key, 0);
  thrd_t a, b;
  thrd_create(&a, work, &a);
  thrd_create(&b, work, &b);
  mtx_lock(&m);
  while (ready < 2) cnd_wait(&c, &m);
  int sum = counter;
  mtx_unlock(&m);
  thrd_join(a, 0);
  thrd_join(b, 0);
  tss_delete(key);
  cnd_destroy(&c);
  mtx_destroy(&m);
  printf("%d %d\n", sum, prepared);
}
