/// \file
/// Signals interrupt sleeps, semaphores and reads, and handlers run in the thread that they are sent to.
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "threads.hpp"

std::atomic<int> handled{0};
std::atomic<bool> done{false};
pthread_t target;
int ends[2];

void on_signal(int) {
  assert(pthread_equal(pthread_self(), target));
  ++handled;
}
void* interrupted(void*) {
  sem_t never;
  sem_init(&never, 0, 0);
  while (sem_wait(&never) != -1) {
  }
  assert(errno == EINTR && handled >= 1);
  char byte;
  while (read(ends[0], &byte, 1) != -1) {
  }
  assert(errno == EINTR);
  done = true;
  return nullptr;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, nullptr);
  assert(pipe(ends) == 0);
  pthread_create(&target, nullptr, interrupted, nullptr);
  while (!done) {
    pthread_kill(target, SIGUSR1);
    sched_yield();
  }
  pthread_join(target, nullptr);
  assert(handled >= 2);
}
