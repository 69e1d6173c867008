// A static object stops and joins its thread: nothing is left to wait for, and nothing races.
// EXPECT: none
#include <condition_variable>
#include <mutex>
#include <thread>

int x;

struct Worker {
  std::mutex m;
  std::condition_variable c;
  bool stops = false;
  std::thread thread{[this] {
    std::unique_lock lock(m);
    c.wait(lock, [this] { return stops; });
    x = 1;
  }};

  ~Worker() {
    {
      const std::lock_guard lock(m);
      stops = true;
    }
    c.notify_all();
    thread.join();
    x = 2;
  }
};
Worker worker;

int main() {}
