/// \file
/// A consumer that tests with `if`: another one takes the item before it has the lock again.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int items = 0;

void consumer() {
  const Guard guard(m);
  if (items == 0) pthread_cond_wait(&c, &m);
  assert(items > 0);
  --items;
}
void producer() {
  for (int i = 0; i < 2; ++i) {
    const Guard guard(m);
    ++items;
    pthread_cond_signal(&c);
  }
}

int main() {
  run_all({consumer, consumer, producer});
}
