// main returns while other threads exist. The argument says what they do: `block` in an endless wait, `spin`, or
// `sleep` until long after.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* block(void* unused) {
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  return unused;
}
static void* spin(void* unused) {
  for (;;) __asm__ volatile("");
  return unused;
}
static void* sleep_long(void* unused) {
  sleep(1000);
  return unused;
}

int main(int count, char** words) {
  void* (*const what)(void*) = strcmp(words[count - 1], "block") == 0 ? block : strcmp(words[1], "spin") == 0 ? spin : sleep_long;
  for (int i = 0; i < 8; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, what, 0);
  }
  printf("done\n");
  return 5;
}
