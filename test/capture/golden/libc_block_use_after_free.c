// Blocks that the C library allocated for the program are the program's: to use one that it has freed is found.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

static char* text;

static void* other(void* unused) {
  use(text[1]);  // A
  reach(1);
  return unused;
}

int main(void) {
  text = strdup("word");
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  free(text);  // B
  pthread_join(t, 0);
}
