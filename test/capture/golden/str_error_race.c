// The text of an unknown error is made in the caller's buffer; that of a known one is not, and the buffer stays as it is.
// EXPECT: race A B
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include "invisible.h"

char shared[100], unused_buffer[100];

static void* work(void* unused) {
  await(1);
  strerror_r(1, unused_buffer, sizeof unused_buffer);
  strerror_r(-1, shared, sizeof shared);  // A
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  strerror_r(1, unused_buffer, sizeof unused_buffer);
  strerror_r(-1, shared, sizeof shared);  // B
  reach(1);
  pthread_join(t, 0);
}
