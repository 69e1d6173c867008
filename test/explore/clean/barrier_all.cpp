/// \file
/// All threads arrive at the barrier, twice.
#include "threads.hpp"

pthread_barrier_t barrier;
int sum[2];

template <int at>
void worker() {
  sum[at] = at + 1;
  pthread_barrier_wait(&barrier);
  assert(sum[0] + sum[1] == 3);
  pthread_barrier_wait(&barrier);
  sum[at] = 0;
}

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  run_all({worker<0>, worker<1>});
}
