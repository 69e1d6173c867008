// A semaphore orders; a lock that both sides also take must not be taken for the reason.
// EXPECT: none
#include <mutex>
#include <semaphore>
#include <thread>

static std::mutex m;
static std::binary_semaphore given(0);
int x;

int main() {
  std::thread first([] {
    x = 1;
    {
      std::lock_guard lock(m);
    }
    given.release();
  });
  std::thread second([] {
    given.acquire();
    {
      std::lock_guard lock(m);
    }
    x = 2;
  });
  first.join();
  second.join();
}
