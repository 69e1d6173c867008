// main's thread ends before the others, which continue: the last of them ends the program.
// EXPECT: race A B
// PEER: skip it never ends
#include <pthread.h>
#include <unistd.h>

int x;

static void* first(void* p) {
  usleep(50000);
  x = 1;  // A
  return p;
}
static void* second(void* p) {
  usleep(100000);
  x = 2;  // B
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_exit(0);
}
