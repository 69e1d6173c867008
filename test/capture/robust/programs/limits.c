// Lowers its own limits as the argument says, then continues.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "work.h"

static void lower(int what, rlim_t value) {
  struct rlimit limit = {value, value};
  if (setrlimit((__rlimit_resource_t)what, &limit) != 0) abort();
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  work(2, 100);
  if (strcmp(what, "files") == 0) lower(RLIMIT_NOFILE, 3);
  if (strcmp(what, "size") == 0) lower(RLIMIT_FSIZE, 4096);
  if (strcmp(what, "processes") == 0) lower(RLIMIT_CORE, 0);
  if (strcmp(what, "folder") == 0 && chdir("/") != 0) return 1;
  if (strcmp(what, "user") == 0 && setresuid(65534, 65534, 65534) != 0) return 1;
  printf("%ld\n", work(2, 60000));
}
