/// \file
/// Two semaphores in both orders.
// finds: deadlock
#include <semaphore.h>

#include "threads.hpp"

sem_t a;
sem_t b;

void first() {
  sem_wait(&a);
  sem_wait(&b);
  sem_post(&b);
  sem_post(&a);
}
void second() {
  sem_wait(&b);
  sem_wait(&a);
  sem_post(&a);
  sem_post(&b);
}

int main() {
  sem_init(&a, 0, 1);
  sem_init(&b, 0, 1);
  run_all({first, second});
}
