// A thread is created inside a section and locks the same mutex.
// EXPECT: none
#include <mutex>
#include <thread>

static std::mutex m;
int x;

int main() {
  std::unique_lock lock(m);
  x = 1;
  std::thread t([] {
    std::lock_guard inner(m);
    x = 2;
  });
  x = 3;
  lock.unlock();
  t.join();
}
