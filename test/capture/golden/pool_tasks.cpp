// A thread pool: tasks through a queue, results through futures.
// EXPECT: none
// OUTPUT: 328350
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(m_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& t : threads_) t.join();
  }
  std::future<int> submit(std::function<int()> f) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(f));
    {
      std::lock_guard lock(m_);
      tasks_.push_back([task] { (*task)(); });
    }
    changed_.notify_one();
    return task->get_future();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(m_);
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex m_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

int main() {
  Pool pool(3);
  std::vector<std::future<int>> results;
  for (int i = 0; i < 100; ++i) results.push_back(pool.submit([i] { return i * i; }));
  int sum = 0;
  for (auto& r : results) sum += r.get();
  std::printf("%d\n", sum);
}
