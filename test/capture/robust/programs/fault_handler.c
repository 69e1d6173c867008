// Handles its own faults on an alternate stack, and continues by siglongjmp.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "work.h"

static sigjmp_buf place;
static char alternate[1 << 16];

static void handler(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  siglongjmp(place, info->si_addr != 0 ? 1 : 2);
}

int main(void) {
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  sigaltstack(&stack, 0);
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  volatile char* page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile int faults = 0;
  for (volatile int i = 0; i < 100; i = i + 1) {
    if (sigsetjmp(place, 1) == 0) {
      page[100] = 1;
    } else {
      faults = faults + 1;
    }
  }
  printf("%d %ld\n", faults, work(2, 100));
}
