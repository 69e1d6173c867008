// Another thread than main ends the program, while main is not done.
// EXPECT: race A B
// EXIT: 3
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int x;

static void* ends(void* p) {
  x = 1;  // A
  exit(3);
  return p;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, ends, 0);
  usleep(100000);
  x = 2;  // B
  pause();
  return 0;
}
