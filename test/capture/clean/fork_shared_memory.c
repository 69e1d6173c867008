// A process-shared mutex in shared memory orders a parent and its child; threads of the parent take part.
// EXPECT: none
// OUTPUT: 300
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct Shared {
  pthread_mutex_t mutex;
  int count;
};
static struct Shared* shared;

static void* add(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&shared->mutex);
    ++shared->count;
    pthread_mutex_unlock(&shared->mutex);
  }
  return unused;
}
int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &attributes);
  const pid_t child = fork();
  if (child == 0) {
    add(NULL);
    _exit(0);
  }
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  waitpid(child, NULL, 0);
  printf("%d\n", shared->count);
}
