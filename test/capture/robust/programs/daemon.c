// Becomes a daemon in the usual way, continues, and writes its result to the file that the argument names.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "work.h"

int main(int count, char** arguments) {
  if (count < 2) return 1;
  work(2, 100);
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  umask(0);
  if (chdir("/") != 0) return 1;
  for (int i = 0; i < 256; ++i) close(i);
  open("/dev/null", O_RDWR);
  if (dup(0) != 1 || dup(0) != 2) return 1;
  usleep(300000);
  long sum = work(2, 60000);
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.new", arguments[1]);
  FILE* out = fopen(temporary, "w");
  if (!out) return 1;
  fprintf(out, "%ld\n", sum);
  fclose(out);
  return rename(temporary, arguments[1]);
}
