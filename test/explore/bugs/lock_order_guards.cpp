/// \file
/// Two mutexes of the C++ library, locked by guards in opposite orders: the places are in the program, the calls in the
/// library's headers.
// finds: deadlock
#include <mutex>

#include "threads.hpp"

std::mutex first;
std::mutex second;
int count;

void forwards() {
  std::lock_guard outer(first);
  std::lock_guard inner(second);
  ++count;
}

void backwards() {
  std::lock_guard outer(second);
  std::lock_guard inner(first);
  ++count;
}

int main() {
  run_all({forwards, backwards});
}
