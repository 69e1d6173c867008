/// \file
/// Two deposits without any lock.
// finds: data-race
#include "threads.hpp"

int balance = 0;

void deposit() {
  balance = balance + 1;
}

int main() {
  run_all({deposit, deposit});
}
