// `_exit` ends the program while a thread is not done.
// EXPECT: race A B
// PEER: misses it waits only where exit handlers run
// EXIT: 4
#include <pthread.h>
#include <unistd.h>

int x;

static void* late(void* p) {
  usleep(100000);
  x = 1;  // A
  return p;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, late, 0);
  x = 2;  // B
  _exit(4);
}
