// eventfd as a signal; the reader learns of it by poll and by epoll.
// EXPECT: none
// OUTPUT: 8
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int first, second, x, y;

static void* work(void* unused) {
  x = 3;
  eventfd_write(first, 1);
  y = 5;
  uint64_t one = 1;
  if (write(second, &one, sizeof one) != sizeof one) return 0;
  return unused;
}

int main(void) {
  first = eventfd(0, 0);
  second = eventfd(0, 0);
  int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = second};
  epoll_ctl(epoll, EPOLL_CTL_ADD, second, &event);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  struct pollfd ready = {.fd = first, .events = POLLIN};
  while (poll(&ready, 1, -1) != 1) continue;
  eventfd_t count;
  eventfd_read(first, &count);
  int sum = x;
  while (epoll_wait(epoll, &event, 1, -1) != 1) continue;
  if (read(second, &count, sizeof count) != sizeof count) return 1;
  sum += y;
  printf("%d\n", sum);
  pthread_join(t, 0);
}
