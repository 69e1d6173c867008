// The first argument is the number of threads; each releases a lock of its own as often as the second says. Prints how often they all
// slept, by the kernel's count.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MOST 64
static long rounds;
static long slept[MOST];

static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static void* release(void* number) {
  pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
  const long before = sleeps();
  for (long i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&mine);
    pthread_mutex_unlock(&mine);
  }
  slept[(long)number] = sleeps() - before;
  return 0;
}

int main(int argc, char** arguments) {
  const long threads = argc > 2 ? atol(arguments[1]) : 1;
  rounds = argc > 2 ? atol(arguments[2]) : 1;
  pthread_t all[MOST];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], 0, release, (void*)i);
  long sum = 0;
  for (long i = 0; i < threads; ++i) pthread_join(all[i], 0), sum += slept[i];
  printf("%ld\n", sum);
}
