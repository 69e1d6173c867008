/* Runs a program and writes what it took: `usage FILE PROGRAM ARGUMENT…` writes "CPU MEMORY INSTRUCTIONS", the processor
   time of the program and of the processes that it waited for in microseconds, the largest resident set of one in KiB,
   and the instructions that they executed in user mode, 0 where the machine does not count them. The exit status is the
   program's. /usr/bin/time does the same in hundredths of a second, and counts no instructions. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

/* A counter of what this process's children will execute from their exec on. */
static int count_instructions(void) {
  struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof wanted,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .disabled = 1,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .enable_on_exec = 1};
  return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s FILE PROGRAM ARGUMENT...\n", argv[0]);
    return 64;
  }
  const int counter = count_instructions();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  signal(SIGINT, SIG_IGN);
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    perror("usage");
    return 71;
  }
  FILE* const out = fopen(argv[1], "w");
  if (out == NULL) {
    perror(argv[1]);
    return 73;
  }
  uint64_t instructions = 0;
  if (counter < 0 || read(counter, &instructions, sizeof instructions) != sizeof instructions) instructions = 0;
  fprintf(out, "%ld %ld %llu\n", microseconds(used.ru_utime) + microseconds(used.ru_stime), used.ru_maxrss,
          (unsigned long long)instructions);
  fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
