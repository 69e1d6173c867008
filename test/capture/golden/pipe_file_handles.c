// A FILE is handed over under a mutex; the C library locks inside.
// EXPECT: none
// OUTPUT: 200
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;

static void* work(void* unused) {
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&m);
    if (!file) file = tmpfile();
    pthread_mutex_unlock(&m);
    fputs("x\n", file);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%ld\n", ftell(file));
  fclose(file);
}
