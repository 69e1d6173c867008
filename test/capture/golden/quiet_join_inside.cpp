// A lock in the joined thread and one in the joiner: join orders, the lock does not matter.
// EXPECT: none
#include <mutex>
#include <thread>

static std::mutex m;
int x;

int main() {
  std::thread t([] {
    x = 1;
    std::lock_guard lock(m);
  });
  {
    std::lock_guard lock(m);
  }
  t.join();
  {
    std::lock_guard lock(m);
  }
  x = 2;
}
