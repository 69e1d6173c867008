/// \file
/// A handler wakes the thread that it interrupts.
#include <sched.h>
#include <semaphore.h>
#include <atomic>
#include <csignal>

#include "threads.hpp"

sem_t woken;
std::atomic<bool> waits{false};
pthread_t waiting;

void on_signal(int) {
  sem_post(&woken);
}
void waiter() {
  waiting = pthread_self();
  waits = true;
  while (sem_wait(&woken) != 0) {
  }
}
void sender() {
  while (!waits) sched_yield();
  pthread_kill(waiting, SIGUSR2);
  raise(SIGUSR2);
}

int main() {
  sem_init(&woken, 0, 0);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGUSR2, &action, nullptr);
  run_all({waiter, sender});
}
