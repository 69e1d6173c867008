/// \file
/// Some threaded work with a known result: threads lock, allocate and count.
#pragma once

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t work_mutex = PTHREAD_MUTEX_INITIALIZER;
static long work_count;

__attribute__((unused)) static void* work_loop(void* rounds) {
  for (long i = 0; i < (long)rounds; ++i) {
    long* p = (long*)malloc(sizeof(long) + (size_t)(i % 100));
    *p = 1;
    pthread_mutex_lock(&work_mutex);
    work_count += *p;
    pthread_mutex_unlock(&work_mutex);
    free(p);
  }
  return 0;
}

/// Runs `threads` threads with `rounds` rounds each; returns their count.
__attribute__((unused)) static long work(int threads, long rounds) {
  pthread_t* t = (pthread_t*)malloc(sizeof(pthread_t) * (size_t)threads);
  long before = work_count;
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&t[i], 0, work_loop, (void*)rounds) != 0) abort();
  }
  for (int i = 0; i < threads; ++i) pthread_join(t[i], 0);
  free(t);
  return work_count - before;
}
