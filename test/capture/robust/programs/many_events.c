// Writes more events than a small trace can hold: many addresses, from two threads, under a lock. The argument is the
// number of repetitions, 8 by default: a recording of 3 MB.
#include <stdio.h>
#include <stdlib.h>
#include "work.h"

static int cells[1 << 16];
static int rounds = 8;

static void* fill(void* unused) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 1 << 16; i += 64) {
      pthread_mutex_lock(&work_mutex);
      for (int k = 0; k < 64; ++k) ++cells[i + k];
      pthread_mutex_unlock(&work_mutex);
    }
  }
  return unused;
}

int main(int count, char** words) {
  if (count > 1) rounds = atoi(words[1]);
  pthread_t a, b;
  pthread_create(&a, 0, fill, 0);
  pthread_create(&b, 0, fill, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  long sum = 0;
  for (int i = 0; i < 1 << 16; ++i) sum += cells[i];
  printf("%ld %ld\n", sum, work(2, 1000));
}
