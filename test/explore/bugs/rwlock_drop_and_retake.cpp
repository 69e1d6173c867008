/// \file
/// A reader gives the lock up to become a writer, and does not look again.
// finds: assertion
#include "threads.hpp"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int made = 0;

void make_once() {
  pthread_rwlock_rdlock(&lock);
  const bool missing = made == 0;
  pthread_rwlock_unlock(&lock);
  if (!missing) return;
  pthread_rwlock_wrlock(&lock);
  ++made;
  pthread_rwlock_unlock(&lock);
}

int main() {
  run_all({make_once, make_once});
  assert(made == 1);
}
