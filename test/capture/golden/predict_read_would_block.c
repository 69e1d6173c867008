// BUILD: -D_GNU_SOURCE
// A pipe or an event counter is empty, and the thread that emptied it continues.
// EXPECT: race A B predicted
// RUN: pipe read
// RUN: pipe poll
// RUN: pipe select
// RUN: events read
// RUN: events poll
// RUN: events select
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>
#include "invisible.h"

static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static int from, to;
static char how;  // by a read, poll or select
int z;

/// An attempt: is there nothing to read?
static int empty(void) {
  char data[8];
  struct pollfd both[2] = {{from, POLLIN, 0}, {-1, POLLIN, 0}};
  struct timeval now = {0, 0};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(from, &set);
  if (how == 'p') return poll(both, 2, 0) == 0;
  if (how == 's') return select(from + 1, &set, 0, 0, &now) == 0;
  return read(from, data, sizeof data) < 0 && errno == EAGAIN;
}
static void take(void) {
  char data[8];
  if (read(from, data, sizeof data) != sizeof data) _exit(1);
}

static void* first(void* unused) {
  take();
  reach(1);
  await(2);
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  z = 1;  // A
  return unused;
}

static void* second(void* unused) {
  await(1);
  if (empty()) z = 2;  // B
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  reach(2);
  return unused;
}

int main(int count, char** arguments) {
  if (count < 3) return 1;
  how = arguments[2][0];
  if (strcmp(arguments[1], "events") == 0) {
    from = to = eventfd(0, EFD_NONBLOCK);
  } else {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) return 1;
    from = ends[0];
    to = ends[1];
  }
  const unsigned long one = 1;
  if (write(to, &one, sizeof one) != sizeof one) return 1;
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
