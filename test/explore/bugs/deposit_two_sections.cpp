/// \file
/// Two deposits, each of which reads the balance in one section and writes it in another.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int balance = 0;

int get() {
  const Guard guard(m);
  return balance;
}
void set(int value) {
  const Guard guard(m);
  balance = value;
}
void deposit() {
  set(get() + 1);
}

int main() {
  run_all({deposit, deposit});
  assert(balance == 2);
}
