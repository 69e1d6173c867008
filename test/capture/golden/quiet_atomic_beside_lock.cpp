// An atomic flag orders, with a section on either side.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex m;
static std::atomic<bool> ready;
int x;

int main() {
  std::thread first([] {
    x = 1;
    ready.store(true, std::memory_order_release);
    std::lock_guard lock(m);
  });
  std::thread second([] {
    {
      std::lock_guard lock(m);
    }
    while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
    x = 2;
  });
  first.join();
  second.join();
}
