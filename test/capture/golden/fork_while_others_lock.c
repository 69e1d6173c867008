// Forks happen while another thread holds and takes locks, and allocates.
// EXPECT: none
// OUTPUT: 5
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stop, rounds;

static void* work(void* unused) {
  for (int go = 1; go;) {
    free(malloc(100));
    pthread_mutex_lock(&m);
    ++rounds;
    go = !stop;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int good = 0;
  for (int i = 0; i < 5; ++i) {
    pid_t child = fork();
    if (child == 0) {
      free(malloc(100));
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 3;
  }
  pthread_mutex_lock(&m);
  stop = 1;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  printf("%d\n", good);
}
