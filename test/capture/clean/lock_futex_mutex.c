// A mutex of three states on a futex, by system calls.
// EXPECT: none
// OUTPUT: 3000
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;  // 0: free, 1: taken, 2: taken, with waiting threads
static long counter;

static void lock(void) {
  int seen = 0;
  if (__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  if (seen != 2) seen = __atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE);
  while (seen != 0) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    seen = __atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE);
  }
}
static void unlock(void) {
  if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void* work(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    lock();
    ++counter;
    unlock();
  }
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", counter);
}
