/// \file
/// Locks in both orders, but under a third one.
#include "threads.hpp"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void first() {
  const Guard all(gate);
  const Guard outer(a);
  const Guard inner(b);
}
void second() {
  const Guard all(gate);
  const Guard outer(b);
  const Guard inner(a);
}

int main() {
  run_all({first, second});
}
