// fork while other threads use a lock: handlers take it before and release it on both sides.
// EXPECT: none
// OUTPUT: child 0
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, doubled;
static int stop;

static void before(void) { pthread_mutex_lock(&mutex); }
static void after(void) { pthread_mutex_unlock(&mutex); }
static void* work(void* unused) {
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&mutex);
    ++counter;
    doubled += 2;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_atfork(before, after, after);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    const int wrong = doubled != 2 * counter;
    pthread_mutex_unlock(&mutex);
    _exit(wrong);
  }
  int status = 1;
  waitpid(child, &status, 0);
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("child %d\n", WEXITSTATUS(status));
}
