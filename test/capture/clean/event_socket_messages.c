// Pointers travel through a socket pair in both directions; the object belongs to the side that has received it.
// EXPECT: none
// OUTPUT: 200
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void* echo(void* unused) {
  int* object;
  while (recv(ends[1], &object, sizeof object, 0) == sizeof object) {
    ++*object;
    if (send(ends[1], &object, sizeof object, 0) != sizeof object) break;
  }
  return unused;
}
int main(void) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, echo, NULL);
  int* object = calloc(1, sizeof *object);
  for (int i = 0; i < 100; ++i) {
    ++*object;
    if (send(ends[0], &object, sizeof object, 0) != sizeof object) return 1;
    if (recv(ends[0], &object, sizeof object, 0) != sizeof object) return 1;
  }
  close(ends[0]);
  pthread_join(thread, NULL);
  printf("%d\n", *object);
  free(object);
}
