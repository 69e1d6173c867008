// A ring of three slots with counting semaphores for full and empty ones, and a mutex among the producers.
// EXPECT: none
// OUTPUT: 400
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

static int ring[3];
static std::counting_semaphore<3> empty{3}, full{0};
static std::mutex producers;
static int put_at;

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        empty.acquire();
        {
          const std::lock_guard<std::mutex> lock(producers);
          ring[put_at++ % 3] = 1;
          full.release();
        }
      }
    });
  int sum = 0;
  for (int i = 0; i < 400; ++i) {
    full.acquire();
    sum += ring[i % 3];
    ring[i % 3] = 0;
    empty.release();
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", sum);
}
