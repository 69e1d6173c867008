// What calls with descriptors and signals store besides buffers: ends of a pipe, an address and its length, events,
// the action that was set before, the value of a semaphore.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A A2
// EXPECT: race B B2
// EXPECT: race C C2
// EXPECT: race D D2
// EXPECT: race E E2
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "invisible.h"

int ends[2], value;
struct sockaddr_storage address;
socklen_t length = sizeof address;
struct epoll_event event;
struct sigaction before;
static sem_t semaphore;
static int datagrams[2], set;

static void* other(void* unused) {
  char byte;
  use(pipe(ends));  // A
  use(recvfrom(datagrams[0], &byte, 1, 0, (struct sockaddr*)&address, &length));  // B
  use(epoll_wait(set, &event, 1, -1));  // C
  sigaction(SIGUSR1, 0, &before);  // D
  sem_getvalue(&semaphore, &value);  // E
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  sem_init(&semaphore, 0, 3);
  use(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams));
  set = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLOUT};
  epoll_ctl(set, EPOLL_CTL_ADD, datagrams[1], &wanted);
  use(write(datagrams[1], "x", 1));
  pthread_create(&t, 0, other, 0);
  await(1);
  use(ends[1]);  // A2
  use(length);  // B2
  use(event.events);  // C2
  use((long)before.sa_handler);  // D2
  use(value);  // E2
  pthread_join(t, 0);
}
