// Reference counts with relaxed increments, a release decrement, and an acquire fence before the last owner deletes.
// EXPECT: none
// OUTPUT: 1 destroyed
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> destroyed{0};
class Buffer {
 public:
  void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (count_.fetch_sub(1, std::memory_order_release) == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);
      delete this;
    }
  }
  void write(int at) { bytes_[at] = static_cast<char>(at); }

 private:
  ~Buffer() {
    for (char byte : bytes_) last_ += byte;
    ++destroyed;
  }
  std::atomic<int> count_{1};
  char bytes_[8] = {};
  int last_ = 0;
};
int main() {
  Buffer* const buffer = new Buffer;
  std::vector<std::thread> threads;
  for (int at = 0; at < 8; ++at) {
    buffer->retain();
    threads.emplace_back([buffer, at] {
      buffer->write(at);
      buffer->release();
    });
  }
  buffer->release();
  for (auto& thread : threads) thread.join();
  std::printf("%d destroyed\n", destroyed.load());
}
