/// \file
/// A thread spins on a plain flag: a race, and the run still continues.
// finds: data-race
#include "threads.hpp"

volatile bool flag = false;

void spinner() {
  while (!flag) {
  }
}
void setter() {
  flag = true;
}

int main() {
  run_all({spinner, setter});
}
