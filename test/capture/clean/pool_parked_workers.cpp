// Workers sleep on a counter of their own; main fills a plain slot for each, bumps it, and waits for all to be done.
// EXPECT: none
// OUTPUT: 165
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Worker {
  std::atomic<int> ticket{0};
  int input = 0;
  int output = 0;
};
static Worker workers[3];
static std::atomic<int> done{0};

int main() {
  std::vector<std::thread> threads;
  for (Worker& worker : workers)
    threads.emplace_back([&worker] {
      for (int round = 1; round <= 10; ++round) {
        worker.ticket.wait(round - 1, std::memory_order_acquire);
        worker.output += worker.input;
        if (done.fetch_add(1, std::memory_order_acq_rel) == 2) done.notify_one();
      }
    });
  for (int round = 1; round <= 10; ++round) {
    done.store(0, std::memory_order_relaxed);
    for (Worker& worker : workers) {
      worker.input = round;
      worker.ticket.store(round, std::memory_order_release);
      worker.ticket.notify_one();
    }
    for (int seen; (seen = done.load(std::memory_order_acquire)) < 3;) done.wait(seen, std::memory_order_acquire);
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", workers[0].output + workers[1].output + workers[2].output);
}
