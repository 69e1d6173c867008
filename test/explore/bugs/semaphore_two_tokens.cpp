/// \file
/// A semaphore made with one token too many.
// finds: assertion
#include <semaphore.h>
#include <atomic>

#include "threads.hpp"

sem_t one;
std::atomic<int> inside{0};

void section() {
  sem_wait(&one);
  assert(++inside == 1);
  --inside;
  sem_post(&one);
}

int main() {
  sem_init(&one, 0, 2);
  run_all({section, section});
}
