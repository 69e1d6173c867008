// The threads are not joined: main's return does not end the run before they have begun.
// EXPECT: race A B
#include <pthread.h>

int x;

static void* first(void* p) {
  x = 1;  // A
  return p;
}
static void* second(void* p) {
  x = 2;  // B
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  return 0;
}
