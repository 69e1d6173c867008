// Observers are called under a recursive mutex and register further observers from within.
// EXPECT: none
// OUTPUT: 40
#include <cstdio>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

class Subject {
 public:
  void observe(std::function<void()> what) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    observers_.push_back(std::move(what));
  }
  void fire() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    std::list<std::function<void()>> now;
    now.swap(observers_);
    for (auto& what : now) what();
  }

 private:
  std::recursive_mutex mutex_;
  std::list<std::function<void()>> observers_;
};
int main() {
  Subject subject;
  int calls = 0;
  subject.observe([&] {
    ++calls;
    subject.observe([&] { ++calls; });
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 19; ++i) {
        subject.observe([&] { ++calls; });
        subject.fire();
      }
    });
  for (auto& thread : threads) thread.join();
  subject.fire();
  std::printf("%d\n", calls);
}
