// One thread uses the list that getaddrinfo returned, and another frees it.
// EXPECT: race A B
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static struct addrinfo* list;

static void* other(void* unused) {
  use(list->ai_family);  // A
  reach(1);
  return unused;
}

int main(void) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
  if (getaddrinfo("127.0.0.1", "80", &hints, &list) != 0) abort();
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  freeaddrinfo(list);  // B
  pthread_join(t, 0);
}
