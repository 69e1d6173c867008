// Nothing is reported: the program's own exit code comes through.
// EXPECT: none
// EXIT: 42
#include <pthread.h>

static void* work(void* unused) {
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  return 42;
}
