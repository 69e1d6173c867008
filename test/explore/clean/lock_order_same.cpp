/// \file
/// Two locks in one order.
#include "threads.hpp"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

void both() {
  const Guard outer(a);
  const Guard inner(b);
}

int main() {
  run_all({both, both, both});
}
