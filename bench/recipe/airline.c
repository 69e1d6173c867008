/* Ten sellers look at the number of sold tickets without a lock and count it without one. */
#include <pthread.h>
#include <stdio.h>

enum { kSellers = 10, kSeats = 8 };
static int sold;
static int closed;

static void* seller(void* p) {
  if (!closed && sold < kSeats) {
    sold++;
    if (sold == kSeats) closed = 1;
  }
  return p;
}
int main(void) {
  pthread_t thread[kSellers];
  for (int i = 0; i < kSellers; i++) pthread_create(&thread[i], 0, seller, 0);
  for (int i = 0; i < kSellers; i++) pthread_join(thread[i], 0);
  printf("%d\n", sold);
}
