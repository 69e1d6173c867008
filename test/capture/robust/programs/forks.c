// Forks while other threads lock and allocate; children work with threads of their own, and fork again.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

static int stop;

static void* background(void* unused) {
  for (int go = 1; go;) {
    free(malloc(1000));
    pthread_mutex_lock(&work_mutex);
    go = !stop;
    pthread_mutex_unlock(&work_mutex);
  }
  return unused;
}

static int run(int depth) {
  int bad = 0;
  pthread_t t;
  pthread_create(&t, 0, background, 0);
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&work_mutex);
    pid_t child = fork();
    pthread_mutex_unlock(&work_mutex);
    if (child == 0) {
      int inner = depth > 0 ? run(depth - 1) : 0;
      _exit(inner != 0 || work(2, 100) != 200);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) ++bad;
  }
  pthread_mutex_lock(&work_mutex);
  stop = 1;
  pthread_mutex_unlock(&work_mutex);
  pthread_join(t, 0);
  stop = 0;
  return bad;
}

int main(void) {
  printf("%d\n", run(1));
  return 3;
}
