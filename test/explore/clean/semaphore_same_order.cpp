/// \file
/// Two semaphores in one order.
#include <semaphore.h>

#include "threads.hpp"

sem_t a;
sem_t b;

void both() {
  sem_wait(&a);
  sem_wait(&b);
  sem_post(&b);
  sem_post(&a);
}

int main() {
  sem_init(&a, 0, 1);
  sem_init(&b, 0, 1);
  run_all({both, both});
}
