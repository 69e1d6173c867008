// Each string function reads (or writes) what another thread has written.
// BUILD: -fno-builtin -D_GNU_SOURCE
// RUN: strlen
// RUN: strcmp
// RUN: strncmp
// RUN: strchr
// RUN: strrchr
// RUN: strstr
// RUN: strcpy
// RUN: strncpy
// RUN: strnlen
// RUN: strcasecmp
// EXPECT: race A B
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include "invisible.h"

char text[64] = "123";
static char out[128];
static const char* which;

static int is(const char* name) {
  while (*name && *name == *which) ++name, ++which;
  int equal = *name == *which;
  return equal;
}

static int selected;

static long call(void) {
  switch (selected) {
    case 0:
      return (long)strlen(text);  // B
    case 1:
      return strcmp(text, "124");  // B
    case 2:
      return strncmp(text, "124", 3);  // B
    case 3:
      return strchr(text, '3') != 0;  // B
    case 4:
      return strrchr(text, '3') != 0;  // B
    case 5:
      return strstr(text, "23") != 0;  // B
    case 6:
      return strcpy(out, text) != 0;  // B
    case 7:
      return strncpy(out, text, 10) != 0;  // B
    case 8:
      return (long)strnlen(text, 10);  // B
    default:
      return strcasecmp(text, "124");  // B
  }
}

static void* work(void* unused) {
  text[1] = '2';  // A
  reach(1);
  return unused;
}

int main(int count, char** arguments) {
  static const char* const names[] = {"strlen", "strcmp", "strncmp", "strchr",  "strrchr",
                                      "strstr", "strcpy", "strncpy", "strnlen", "strcasecmp"};
  (void)count;
  for (selected = 0; selected < 10; ++selected) {
    which = arguments[1];
    if (is(names[selected])) break;
  }
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  use(call());
  pthread_join(t, 0);
}
