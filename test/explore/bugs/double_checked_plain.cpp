/// \file
/// Double-checked locking with a plain pointer.
// finds: data-race
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int* object = nullptr;

void user() {
  if (object == nullptr) {
    const Guard guard(m);
    if (object == nullptr) object = new int(42);
  }
  assert(*object == 42);
}

int main() {
  run_all({user, user});
}
