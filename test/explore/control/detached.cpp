/// \file
/// The program ends while a detached thread waits.
#include <semaphore.h>

#include "threads.hpp"

sem_t never;

void* waits(void*) {
  sem_wait(&never);
  return nullptr;
}

int main() {
  sem_init(&never, 0, 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, waits, nullptr);
  pthread_detach(thread);
}
