/// \file
/// A deposit checks that the account is open, and books after it was closed.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

bool open = true;
int balance = 0;
int at_closing = -1;

bool is_open() {
  const Guard guard(m);
  return open;
}
void deposit() {
  if (!is_open()) return;
  const Guard guard(m);
  balance += 1;
}
void close_account() {
  const Guard guard(m);
  open = false;
  at_closing = balance;
}

int main() {
  run_all({deposit, close_account});
  assert(at_closing == balance);
}
