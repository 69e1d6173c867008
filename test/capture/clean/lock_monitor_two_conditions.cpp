// A bounded buffer as a monitor: two condition variables, producers and consumers, std::list inside.
// EXPECT: none
// OUTPUT: 19900
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

class Buffer {
 public:
  void put(int* item) {
    std::unique_lock<std::mutex> lock(mutex_);
    not_full_.wait(lock, [this] { return items_.size() < 4; });
    items_.push_back(item);
    not_empty_.notify_one();
  }
  int* get() {
    std::unique_lock<std::mutex> lock(mutex_);
    not_empty_.wait(lock, [this] { return !items_.empty(); });
    int* const item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::list<int*> items_;
};
int main() {
  Buffer buffer;
  long sums[2] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&buffer, t] {
      for (int i = t; i < 200; i += 2) buffer.put(new int(i));
      buffer.put(nullptr);
    });
    threads.emplace_back([&buffer, &sums, t] {
      while (int* const item = buffer.get()) {
        sums[t] += *item;
        delete item;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%ld\n", sums[0] + sums[1]);
}
