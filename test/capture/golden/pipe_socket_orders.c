// send and recv, sendmsg and recvmsg, over a socket pair.
// EXPECT: none
// OUTPUT: 10
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2], value, other;

static void* work(void* unused) {
  char byte = 'x';
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  value = 5;
  if (send(ends[1], "x", 1, 0) != 1) return 0;
  other = 5;
  if (sendmsg(ends[1], &message, 0) != 1) return 0;
  return unused;
}

int main(void) {
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (recv(ends[0], &byte, 1, 0) != 1) return 1;
  int sum = value;
  if (recvmsg(ends[0], &message, 0) != 1) return 1;
  sum += other;
  printf("%d\n", sum);
  pthread_join(t, 0);
}
