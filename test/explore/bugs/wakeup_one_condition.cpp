/// \file
/// Producers and consumers wait at one condition, and a signal may wake the wrong kind.
// finds: lost-wakeup
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int items = 0;

void produce() {
  for (int i = 0; i < 3; ++i) {
    const Guard guard(m);
    while (items == 1) pthread_cond_wait(&c, &m);
    ++items;
    pthread_cond_signal(&c);
  }
}
void consume() {
  for (int i = 0; i < 3; ++i) {
    const Guard guard(m);
    while (items == 0) pthread_cond_wait(&c, &m);
    --items;
    pthread_cond_signal(&c);
  }
}

int main() {
  run_all({produce, produce, consume, consume});
}
