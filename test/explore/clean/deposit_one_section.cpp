/// \file
/// Deposits that read and write in one section.
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int balance = 0;

void deposit() {
  const Guard guard(m);
  balance = balance + 1;
}

int main() {
  run_all({deposit, deposit, deposit});
  assert(balance == 3);
}
