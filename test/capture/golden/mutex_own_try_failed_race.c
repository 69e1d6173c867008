// A lock of the program's own refuses. It may do so without a reason, so the attempt orders nothing.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
enum { kTry = 1 << 4, kFailed = 1 << 5 };

static int own;
long data;

static void lock(void) {
  __tsan_mutex_pre_lock(&own, 0);
  __tsan_mutex_post_lock(&own, 0, 0);
}
static void unlock(void) {
  __tsan_mutex_pre_unlock(&own, 0);
  __tsan_mutex_post_unlock(&own, 0);
}

static void* work(void* unused) {
  lock();
  data = 1;  // A
  unlock();
  lock();
  reach(1);
  await(2);
  unlock();
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  __tsan_mutex_pre_lock(&own, kTry);
  __tsan_mutex_post_lock(&own, kTry | kFailed, 0);
  data = 2;  // B
  reach(2);
  pthread_join(t, 0);
}
