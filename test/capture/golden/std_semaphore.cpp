// counting_semaphore and binary_semaphore; a try that succeeds counts.
// EXPECT: none
// OUTPUT: 190 1
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> empty(4), filled(0);
static std::binary_semaphore done(0);
static int ring[4], finished;

int main() {
  std::thread producer([] {
    for (int i = 0; i < 20; ++i) {
      empty.acquire();
      ring[i % 4] = i;
      filled.release();
    }
    finished = 1;
    done.release();
  });
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    while (!filled.try_acquire_for(std::chrono::seconds(30))) continue;
    sum += ring[i % 4];
    empty.release();
  }
  while (!done.try_acquire()) std::this_thread::yield();
  std::printf("%d %d\n", sum, finished);
  producer.join();
}
