/// \file
/// Three philosophers, each of which takes the left fork first.
// finds: deadlock
#include "threads.hpp"

pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

template <int at>
void eat() {
  const Guard left(forks[at]);
  const Guard right(forks[(at + 1) % 3]);
}

int main() {
  run_all({eat<0>, eat<1>, eat<2>});
}
