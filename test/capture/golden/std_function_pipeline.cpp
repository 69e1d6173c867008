// Three stages connected by channels; values are moved through, the last stage adds up.
// EXPECT: none
// OUTPUT: 10100
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

template <class T>
class Channel {
 public:
  void send(T value) {
    const std::lock_guard lock(m_);
    items_.push_back(std::move(value));
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard lock(m_);
    closed_ = true;
    changed_.notify_all();
  }
  std::optional<T> receive() {
    std::unique_lock lock(m_);
    changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> value(std::move(items_.front()));
    items_.pop_front();
    return value;
  }

 private:
  std::mutex m_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

int main() {
  Channel<int> numbers;
  Channel<std::string> texts;
  std::jthread source([&] {
    for (int i = 1; i <= 100; ++i) numbers.send(i);
    numbers.close();
  });
  std::jthread middle([&] {
    while (auto n = numbers.receive()) texts.send(std::string(static_cast<size_t>(*n) * 2, 'x'));
    texts.close();
  });
  size_t sum = 0;
  while (auto text = texts.receive()) sum += text->size();
  std::printf("%zu\n", sum);
}
