// The receiver of a signal is ordered after its sender: by sigwait, sigwaitinfo, sigtimedwait, a signalfd or a handler.
// BUILD: -D_GNU_SOURCE
// PEER: reports it knows no order by signals
// EXPECT: none
// OUTPUT: 5
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "invisible.h"

static int value;
static sigset_t set;
static atomic_int handled;
static int read_by_handler;

static void handler(int number) {
  (void)number;
  read_by_handler = value;
  atomic_store(&handled, 1);
}

static void* taker(void* unused) {
  int number;
  siginfo_t info;
  const struct timespec second = {100, 0};
  sigwait(&set, &number);
  ++value;
  reach(2);
  sigwaitinfo(&set, &info);
  ++value;
  reach(4);
  sigtimedwait(&set, &info, &second);
  ++value;
  reach(6);
  const int file = signalfd(-1, &set, 0);
  struct signalfd_siginfo read_info;
  if (read(file, &read_info, sizeof read_info) == sizeof read_info) ++value;
  close(file);
  reach(8);
  while (atomic_load(&handled) == 0) syscall(SYS_sched_yield);
  return unused;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  signal(SIGUSR2, handler);
  pthread_t t;
  pthread_create(&t, 0, taker, 0);
  value = 1;
  pthread_kill(t, SIGUSR1);
  await(2);
  const union sigval none = {0};
  sigqueue(getpid(), SIGUSR1, none);
  await(4);
  kill(getpid(), SIGUSR1);
  await(6);
  pthread_sigqueue(t, SIGUSR1, none);
  await(8);
  pthread_kill(t, SIGUSR2);
  pthread_join(t, 0);
  use(read_by_handler);
  printf("%d\n", value);
}
