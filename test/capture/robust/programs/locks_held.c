/// \file
/// Writes with no lock held, with one, and so on up to four.
#include <pthread.h>
#include <stdio.h>

enum { kLocks = 4, kRounds = 1000 };

static pthread_mutex_t locks[kLocks];
long apart[kLocks + 1][8];

static void* run(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    apart[0][0] = round;
    for (int i = 0; i < kLocks; ++i) {
      pthread_mutex_lock(&locks[i]);
      apart[i + 1][0] = round;
    }
    for (int i = kLocks; i-- > 0;) pthread_mutex_unlock(&locks[i]);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  printf("%ld\n", apart[kLocks][0]);
  return 0;
}
