// The old __sync builtins are full barriers; the C11 functions say their order.
// EXPECT: none
// OUTPUT: 3
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static int flag, x, y;
static atomic_int other;

static void* work(void* unused) {
  x = 1;
  __sync_fetch_and_add(&flag, 1);
  y = 2;
  atomic_store_explicit(&other, 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  while (!__sync_bool_compare_and_swap(&flag, 1, 2)) sched_yield();
  int sum = x;
  while (!atomic_load_explicit(&other, memory_order_acquire)) sched_yield();
  sum += y;
  printf("%d\n", sum);
  pthread_join(t, 0);
}
