/// \file
/// Two threads, each with 8 MiB of its own, which they keep, or free.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 2, kWords = 1 << 20 };

static int keeps;
static pthread_barrier_t filled;

static void* fill(void* unused) {
  long* const words = malloc(kWords * sizeof *words);
  if (words == NULL) abort();
  for (long i = 0; i < kWords; ++i) words[i] = i;
  pthread_barrier_wait(&filled);
  long sum = 0;
  for (long i = 0; i < kWords; ++i) sum += words[i];
  if (!keeps) free(words);
  return (void*)sum;
}

int main(int count, char** arguments) {
  if (count != 2) return 1;
  keeps = strcmp(arguments[1], "keep") == 0;
  pthread_barrier_init(&filled, NULL, kThreads);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, fill, NULL) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) {
    void* sum;
    pthread_join(threads[i], &sum);
    printf("%ld\n", (long)sum);
  }
  return 0;
}
