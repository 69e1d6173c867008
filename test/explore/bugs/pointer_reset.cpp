/// \file
/// A pointer is tested, and loaded once more.
// finds: crash
#include <atomic>

#include "threads.hpp"

int value = 1;
std::atomic<int*> pointer{&value};
std::atomic<int> seen{0};

void user() {
  if (pointer.load() != nullptr) seen = *pointer.load();
}
void resetter() {
  pointer = nullptr;
}

int main() {
  run_all({user, resetter});
}
