// Three stages with bounded queues; each stage changes the object in place and passes it on; a null ends the line.
// EXPECT: none
// OUTPUT: 300 hello!!!
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

template <class T>
class Queue {
 public:
  void put(T item) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < 8; });
    items_.push(std::move(item));
    changed_.notify_all();
  }
  T get() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    T item = std::move(items_.front());
    items_.pop();
    changed_.notify_all();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<T> items_;
};
using Text = std::unique_ptr<std::string>;

int main() {
  Queue<Text> queues[4];
  auto stage = [&queues](int i) {
    for (;;) {
      Text text = queues[i].get();
      const bool last = text == nullptr;
      if (!last) *text += '!';
      queues[i + 1].put(std::move(text));
      if (last) return;
    }
  };
  std::thread a(stage, 0), b(stage, 1), c(stage, 2);
  std::thread source([&queues] {
    for (int i = 0; i < 300; ++i) queues[0].put(std::make_unique<std::string>("hello"));
    queues[0].put(nullptr);
  });
  int count = 0;
  std::string last;
  while (Text text = queues[3].get()) {
    ++count;
    last = *text;
  }
  for (std::thread* thread : {&a, &b, &c, &source}) thread->join();
  std::printf("%d %s\n", count, last.c_str());
}
