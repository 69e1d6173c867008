// Stacks and thread-local blocks of threads that have ended serve the next ones.
// EXPECT: none
#include <pthread.h>

#include <thread>
#include "invisible.h"

static thread_local int mine[8];

static void* work(void* step) {
  int local[64];
  for (int i = 0; i < 64; ++i) local[i] = i;
  for (int& value : mine) value = local[3];
  int* volatile escape = local;
  use(escape[5] + mine[3]);
  if (step != nullptr) reach_next();
  return nullptr;
}

int main() {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int i = 0; i < 50; ++i) {
    pthread_t t;
    pthread_create(&t, &detached, work, &detached);
    await(i + 1);
  }
  std::thread other([] {
    for (int i = 0; i < 20; ++i) std::thread(work, nullptr).join();
  });
  other.join();
}
