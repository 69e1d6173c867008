// unique_ptr moves from thread to thread through a queue with a mutex.
// EXPECT: none
// OUTPUT: 4950
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable filled;
static std::deque<std::unique_ptr<int>> queue;

int main() {
  std::thread producer([] {
    for (int i = 0; i <= 100; ++i) {
      auto item = i < 100 ? std::make_unique<int>(i) : nullptr;
      std::lock_guard lock(m);
      queue.push_back(std::move(item));
      filled.notify_one();
    }
  });
  int sum = 0;
  for (;;) {
    std::unique_lock lock(m);
    filled.wait(lock, [] { return !queue.empty(); });
    auto item = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    if (!item) break;
    sum += *item;
  }
  producer.join();
  std::printf("%d\n", sum);
}
