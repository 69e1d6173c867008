// Uninstrumented code sleeps until the threads that it has created begin, also in a replayed run. In a witness, the
// events after that sleep can precede a thread's begin, and a thread that the race does not need never begins.
// EXPECT: race A B
#include <linux/futex.h>
#include <pthread.h>
#include "invisible.h"

static int shared, have_begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;

INVISIBLE void tell_begin(void) {
  __atomic_fetch_add(&have_begun, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &have_begun, FUTEX_WAKE, 1, 0, 0, 0);
}
INVISIBLE void await_begin(void) {
  for (int now; (now = __atomic_load_n(&have_begun, __ATOMIC_SEQ_CST)) < 2;) syscall(SYS_futex, &have_begun, FUTEX_WAIT, now, 0, 0, 0);
}

static void* bystander(void* unused) {
  tell_begin();
  return unused;
}
static void* other(void* unused) {
  tell_begin();
  await(1);
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  shared = 1;  // A
  return unused;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, other, 0);
  pthread_create(&u, 0, bystander, 0);
  await_begin();
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  reach(1);
  use(shared);  // B
  pthread_join(t, 0);
  pthread_join(u, 0);
}
