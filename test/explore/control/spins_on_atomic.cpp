/// \file
/// A thread spins on an atomic flag, without any pause.
#include <atomic>

#include "threads.hpp"

std::atomic<bool> flag{false};

void spinner() {
  while (!flag) {
  }
}
void setter() {
  flag = true;
}

int main() {
  run_all({spinner, spinner, setter});
}
