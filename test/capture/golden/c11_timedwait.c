// cnd_timedwait and cnd_broadcast.
// PEER: skip it does not know the C11 functions
// EXPECT: none
// OUTPUT: 3
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static cnd_t c;
static int go, seen;

static int work(void* unused) {
  (void)unused;
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  until.tv_sec += 30;
  mtx_lock(&m);
  while (!go) cnd_timedwait(&c, &m, &until);
  ++seen;
  mtx_unlock(&m);
  thrd_exit(0);
}

int main(void) {
  mtx_init(&m, mtx_plain | mtx_recursive);
  cnd_init(&c);
  thrd_t t[3];
  for (int i = 0; i < 3; ++i) thrd_create(&t[i], work, 0);
  mtx_lock(&m);
  go = 1;
  cnd_broadcast(&c);
  mtx_unlock(&m);
  for (int i = 0; i < 3; ++i) thrd_join(t[i], 0);
  printf("%d\n", seen);
}
