/// \file
/// A reader that fills a cache: readers do not keep each other out.
// finds: data-race
#include "threads.hpp"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int cache = 0;

void look_up() {
  pthread_rwlock_rdlock(&lock);
  if (cache == 0) cache = 42;
  pthread_rwlock_unlock(&lock);
}

int main() {
  run_all({look_up, look_up});
}
