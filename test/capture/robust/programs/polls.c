// A thread polls under a lock for a second.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void* work(void* unused) {
  sleep(1);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    done = ready;
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(thread, 0);
  printf("%d\n", ready);
  return 0;
}
