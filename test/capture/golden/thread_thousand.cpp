// A thousand short threads, one after the other and in groups; ids and stacks are reused by the system all the time.
// EXPECT: none
// OUTPUT: 1000
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static int counter;
static int unguarded;

int main() {
  for (int i = 0; i < 500; ++i) {
    std::thread([] {
      int local = ++unguarded;
      (void)local;
      std::lock_guard lock(m);
      ++counter;
    }).join();
  }
  for (int group = 0; group < 10; ++group) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 50; ++i) {
      threads.emplace_back([] {
        std::lock_guard lock(m);
        ++counter;
      });
    }
    for (auto& t : threads) t.join();
  }
  std::printf("%d\n", counter);
}
