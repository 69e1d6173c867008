// A threaded process forks; parent and child both continue, create threads and lock.
// EXPECT: none
// OUTPUT: child 100
// OUTPUT: parent 100
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add(void* unused) {
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&m);
    ++counter;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void both(const char* who) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  printf("%s %d\n", who, counter);
  fflush(stdout);
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  pthread_join(t, 0);
  counter = 0;
  pid_t child = fork();
  if (child == 0) {
    both("child");
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  both("parent");
  return WEXITSTATUS(status);
}
