/* A bounded buffer: the slots are guarded by a lock, but both sides look at the count before they take it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kSlots = 2, kRounds = 8 };
static int slot[kSlots];
static int count, in, out, got, lost;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void put(int value) {
  if (count >= kSlots) {
    lost++;
    return;
  }
  pthread_mutex_lock(&guard);
  if (count < kSlots) {
    slot[in] = value;
    in = (in + 1) % kSlots;
    count++;
  }
  pthread_mutex_unlock(&guard);
}
static void take(void) {
  if (count == 0) return;
  pthread_mutex_lock(&guard);
  if (count > 0) {
    got += slot[out];
    out = (out + 1) % kSlots;
    count--;
  }
  pthread_mutex_unlock(&guard);
}
static void* producer(void* p) {
  for (int i = 0; i < kRounds; i++) put((int)(intptr_t)p + i);
  return p;
}
static void* consumer(void* p) {
  for (int i = 0; i < kRounds; i++) take();
  return p;
}
int main(void) {
  pthread_t one, two, three;
  pthread_create(&one, 0, producer, (void*)1);
  pthread_create(&two, 0, consumer, 0);
  pthread_create(&three, 0, consumer, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  pthread_join(three, 0);
  printf("%d %d\n", got, lost);
}
