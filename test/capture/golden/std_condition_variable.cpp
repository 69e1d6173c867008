// A bounded queue: several producers, several consumers, two condition variables, notify outside the lock.
// EXPECT: none
// OUTPUT: 9900
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Queue {
 public:
  void push(int value) {
    {
      std::unique_lock lock(m_);
      room_.wait(lock, [this] { return items_.size() < 4; });
      items_.push(value);
    }
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock lock(m_);
    filled_.wait(lock, [this] { return !items_.empty(); });
    const int value = items_.front();
    items_.pop();
    lock.unlock();
    room_.notify_one();
    return value;
  }

 private:
  std::mutex m_;
  std::condition_variable filled_, room_;
  std::queue<int> items_;
};

int main() {
  Queue queue;
  int sums[2] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) queue.push(k);
    });
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) sums[i] += queue.pop();
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", sums[0] + sums[1]);
}
