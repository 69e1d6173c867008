// As many lock operations as the argument says, half of them by each of two threads.
#include <stdio.h>
#include "work.h"

static long count;

static void* add(void* rounds) {
  for (long i = 0; i < (long)rounds; ++i) {
    pthread_mutex_lock(&work_mutex);
    ++count;
    pthread_mutex_unlock(&work_mutex);
  }
  return 0;
}

int main(int argc, char** arguments) {
  long rounds = argc > 1 ? atol(arguments[1]) / 4 : 1000;
  pthread_t a, b;
  pthread_create(&a, 0, add, (void*)rounds);
  pthread_create(&b, 0, add, (void*)rounds);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%ld\n", count == 2 * rounds ? count : -1);
}
