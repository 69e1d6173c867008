/// \file
/// Two locks in both orders.
// finds: deadlock
#include "threads.hpp"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

void first() {
  const Guard outer(a);
  const Guard inner(b);
}
void second() {
  const Guard outer(b);
  const Guard inner(a);
}

int main() {
  run_all({first, second});
}
