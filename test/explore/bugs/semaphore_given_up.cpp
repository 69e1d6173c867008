/// \file
/// A thread that finds no token at once leaves without passing one on.
// finds: deadlock
#include <semaphore.h>

#include "threads.hpp"

sem_t tokens;
sem_t finished;

void eager() {
  if (sem_trywait(&tokens) != 0) return;
  sem_post(&finished);
}
void giver() {
  sem_post(&tokens);
}
void waiter() {
  sem_wait(&finished);
}

int main() {
  sem_init(&tokens, 0, 0);
  sem_init(&finished, 0, 0);
  run_all({eager, giver, waiter});
}
