// Only one section reaches hidden state. The other could read it in inlined code, so it comes after the first one.
// ARCHIVE: -DLIBRARY -fno-sanitize=thread
// EXPECT: none
#ifdef LIBRARY
static int pushed;
void state_push(void) {
  pushed++;
}
int state_count(void) {
  return pushed;
}
#else
#include <pthread.h>
#include "invisible.h"

void state_push(void);
int state_count(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  state_push();
  pthread_mutex_unlock(&m);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
