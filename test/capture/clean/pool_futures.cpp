// A pool of threads runs packaged tasks from a std::list; results come back by futures, and tasks submit tasks.
// EXPECT: none
// OUTPUT: 5050
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  Pool() {
    for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  template <class F>
  auto submit(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto future = task->get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.emplace_back([task] { (*task)(); });
    }
    changed_.notify_one();
    return future;
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::function<void()>> tasks_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};
int main() {
  long sum = 0;
  {
    Pool pool;
    std::vector<std::future<std::future<int>>> answers;
    for (int i = 1; i <= 100; ++i) {
      answers.push_back(pool.submit([&pool, i] {
        auto input = std::make_shared<int>(i);
        return pool.submit([input] { return *input; });
      }));
    }
    for (auto& answer : answers) sum += answer.get().get();
  }
  std::printf("%ld\n", sum);
}
