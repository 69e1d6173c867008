// The other ways to start a process: vfork and exec, posix_spawn, system, popen.
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

extern char** environ;

int main(void) {
  work(2, 100);
  char* const arguments[] = {"echo", "spawned", 0};
  pid_t child = 0;
  if (posix_spawnp(&child, "echo", 0, 0, arguments, environ) != 0) return 1;
  waitpid(child, 0, 0);
  child = vfork();
  if (child == 0) {
    execlp("echo", "echo", "vforked", (char*)0);
    _exit(1);
  }
  waitpid(child, 0, 0);
  if (system("echo by the shell") != 0) return 1;
  char line[100] = "";
  FILE* pipe = popen("echo through a pipe", "r");
  if (!pipe || !fgets(line, sizeof line, pipe)) return 1;
  pclose(pipe);
  fputs(line, stdout);
  fflush(stdout);
  work(2, 100);
  return 5;
}
