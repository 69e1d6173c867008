/// \file
/// A callback under the lock calls back into the locked function, if the list is not empty yet.
// finds: deadlock
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int listeners = 0;

void add();
void notify() {
  const Guard guard(m);
  if (listeners > 0) add();
}
void add() {
  const Guard guard(m);
  ++listeners;
}

int main() {
  run_all({notify, add});
}
