// Coroutines that hop between threads: each resumption is handed over through a guarded queue.
// EXPECT: none
// OUTPUT: 60
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<std::coroutine_handle<>> ready;
static int running = 6;
static int total;

struct Hop {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ready.push_back(handle);
    }
    changed.notify_one();
  }
  void await_resume() const noexcept {}
};
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
static Task count() {
  int mine = 0;
  for (int i = 0; i < 10; ++i) {
    co_await Hop{};
    ++mine;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  total += mine;
  --running;
  changed.notify_all();
}
int main() {
  for (int i = 0; i < 6; ++i) count();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (;;) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return running == 0 || !ready.empty(); });
        if (ready.empty()) return;
        const auto handle = ready.front();
        ready.pop_front();
        lock.unlock();
        handle.resume();
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", total);
}
