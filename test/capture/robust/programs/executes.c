// Replaces itself: by another program, or by itself with other arguments.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "work.h"

int main(int count, char** arguments) {
  printf("%ld\n", work(2, 100));
  fflush(stdout);
  if (count > 1 && strcmp(arguments[1], "itself") == 0) execl(arguments[0], arguments[0], "again", (char*)0);
  if (count > 1 && strcmp(arguments[1], "other") == 0) execlp("echo", "echo", "the other program", (char*)0);
  return 4;
}
