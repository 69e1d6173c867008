/// \file
/// Threads that are created and joined without end, as fast as it goes; each does a little. `threads SECONDS`.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 10);
  std::mutex lock;
  long total = 0;
  long threads = 0;
  while (Clock::now() < end) {
    std::thread first([&] {
      const std::vector<int> own(100, 1);
      const std::lock_guard guard(lock);
      total += own[50];
    });
    std::thread second([&] {
      const std::lock_guard guard(lock);
      total++;
    });
    first.join();
    second.join();
    threads += 2;
  }
  std::printf("%ld threads, %ld\n", threads, total);
}
