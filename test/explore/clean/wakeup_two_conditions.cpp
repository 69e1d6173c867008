/// \file
/// A bounded buffer with a condition for each side.
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
int items = 0;

void produce() {
  for (int i = 0; i < 3; ++i) {
    const Guard guard(m);
    while (items == 1) pthread_cond_wait(&emptied, &m);
    ++items;
    pthread_cond_signal(&filled);
  }
}
void consume() {
  for (int i = 0; i < 3; ++i) {
    const Guard guard(m);
    while (items == 0) pthread_cond_wait(&filled, &m);
    --items;
    pthread_cond_signal(&emptied);
  }
}

int main() {
  run_all({produce, produce, consume, consume});
}
