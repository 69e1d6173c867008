/* Writers append under the buffer's lock; the thread that flushes looks at the fill without it, and one looks at both. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kWriters = 2, kRounds = 6, kSize = 4 };
static unsigned char buffer[kSize];
static unsigned fill, written;
static int closed;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void* writer(void* p) {
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&guard);
    if (!closed && fill < kSize) buffer[fill++] = (unsigned char)(intptr_t)p;
    pthread_mutex_unlock(&guard);
  }
  return p;
}
static void* flusher(void* p) {
  for (int i = 0; i < kRounds; i++) {
    if (fill == 0) continue;
    pthread_mutex_lock(&guard);
    written += fill;
    fill = 0;
    pthread_mutex_unlock(&guard);
  }
  return p;
}
static void* closer(void* p) {
  if (written > 2) {
    closed = 1;
  }
  return p;
}
int main(void) {
  pthread_t thread[kWriters], one, two;
  for (intptr_t i = 0; i < kWriters; i++) pthread_create(&thread[i], 0, writer, (void*)(i + 65));
  pthread_create(&one, 0, flusher, 0);
  pthread_create(&two, 0, closer, 0);
  for (int i = 0; i < kWriters; i++) pthread_join(thread[i], 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  printf("%u %u\n", written, fill);
}
