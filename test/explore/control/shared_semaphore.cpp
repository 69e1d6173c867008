/// \file
/// A child process posts a semaphore that its parent waits for.
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.hpp"

int main() {
  void* const memory = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const shared = static_cast<sem_t*>(memory);
  assert(memory != MAP_FAILED && sem_init(shared, 1, 0) == 0);
  const pid_t child = fork();
  if (child == 0) {
    usleep(20000);
    sem_post(shared);
    _exit(0);
  }
  assert(sem_wait(shared) == 0);
  assert(waitpid(child, nullptr, 0) == child);
}
