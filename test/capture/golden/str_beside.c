// String functions access nothing after the terminating zero.
// BUILD: -fno-builtin -D_GNU_SOURCE
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

char text[16] = "abc", out[16], joined[16] = "x";

static void* work(void* unused) {
  use((long)strlen(text));
  use(strcmp(text, "abd"));
  use(strchr(text, 'z') != 0);
  use((long)strnlen(text, 4));
  strcpy(out, text);
  strcat(joined, text);
  char* copy = strdup(text);
  use(*copy);
  free(copy);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  text[4] = out[4] = joined[5] = 'q';
  pthread_join(t, 0);
}
