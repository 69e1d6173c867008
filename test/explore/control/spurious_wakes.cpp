/// \file
/// A correct wait bears wake-ups without a reason.
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int turns = 0;

void waiter() {
  const Guard guard(m);
  while (turns < 30) pthread_cond_wait(&c, &m);
}
void signaller() {
  for (int i = 0; i < 30; ++i) {
    const Guard guard(m);
    ++turns;
    pthread_cond_broadcast(&c);
  }
}

int main() {
  run_all({waiter, waiter, signaller});
}
