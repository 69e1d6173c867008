/// \file
/// The program ends with another exit code if the second writer came first.
// finds: exit-code
#include <atomic>

#include "threads.hpp"

std::atomic<int> value{0};

void first() {
  value = 1;
}
void second() {
  value = 2;
}

int main() {
  run_all({first, second});
  return value == 2 ? 0 : 3;
}
