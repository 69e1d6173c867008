/// \file
/// A thread that does not get the lock at once skips its update.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int count = 0;

void add() {
  if (pthread_mutex_trylock(&m) != 0) return;
  ++count;
  pthread_mutex_unlock(&m);
}

int main() {
  run_all({add, add});
  assert(count == 2);
}
