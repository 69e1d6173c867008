/// \file
/// Consecutive threads that read and write the memory that the previous one used.
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 5, kNumbers = 1 << 16 };

static long numbers[kNumbers];

static void* add(void* unused) {
  for (int i = 0; i < kNumbers; ++i) numbers[i] += i;
  return unused;
}

static void* do_nothing(void* unused) {
  return unused;
}

int main(void) {
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    pthread_t other;  // so that there is always a second thread
    if (pthread_create(&other, NULL, do_nothing, NULL) != 0) return 1;
    if (pthread_create(&thread, NULL, add, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    pthread_join(other, NULL);
  }
  printf("%ld\n", numbers[kNumbers - 1]);
  return 0;
}
