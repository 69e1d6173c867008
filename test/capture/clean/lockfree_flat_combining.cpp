// Flat combining: threads publish requests; the lock holder serves all of them.
// EXPECT: none
// OUTPUT: 1500
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Request {
  int argument = 0;
  int answer = 0;
  std::atomic<bool> pending{false};
};
static Request requests[3];
static std::mutex combiner;
static int counter;

static int add(int self, int argument) {
  Request& mine = requests[self];
  mine.argument = argument;
  mine.pending.store(true, std::memory_order_release);
  while (mine.pending.load(std::memory_order_acquire)) {
    std::unique_lock<std::mutex> lock(combiner, std::try_to_lock);
    if (!lock) {
      std::this_thread::yield();
      continue;
    }
    for (Request& request : requests) {
      if (!request.pending.load(std::memory_order_acquire)) continue;
      counter += request.argument;
      request.answer = counter;
      request.pending.store(false, std::memory_order_release);
    }
  }
  return mine.answer;
}
int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 3; ++self)
    threads.emplace_back([self] {
      for (int i = 0; i < 500; ++i) add(self, 1);
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", counter);
}
