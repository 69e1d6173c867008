/* measured FILE COMMAND…: runs a command, and writes to FILE its processor seconds and the KiB that were resident at most, of it and of what it
   waited for. A process begins with what was resident of the one that started it; that is little here, and is more in a program in Python. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 3) return 64;
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[2], words + 2);
    perror(words[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 71;
  FILE* const file = fopen(words[1], "w");
  if (file == NULL) return 73;
  const double user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
  const double in_system = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
  fprintf(file, "%.6f %ld\n", user + in_system, usage.ru_maxrss);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
