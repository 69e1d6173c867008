// Two permits let two threads in at once.
// EXPECT: race A A
#include <semaphore>
#include <thread>
#include "invisible.h"

static std::counting_semaphore<2> permits(2);
int x;

static void work(int step) {
  permits.acquire();
  await(step);
  x = step;  // A
  reach(step + 1);
  await(2);
  permits.release();
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
