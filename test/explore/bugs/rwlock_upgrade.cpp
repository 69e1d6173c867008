/// \file
/// Two readers wait to become writers.
// finds: deadlock
#include "threads.hpp"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void upgrade() {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_t* const same = &lock;
  pthread_rwlock_wrlock(same);
  pthread_rwlock_unlock(same);
  pthread_rwlock_unlock(&lock);
}
void reader() {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
}

int main() {
  run_all({upgrade, reader});
}
