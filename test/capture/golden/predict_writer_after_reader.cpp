// A reader's section before a writer's section.
// EXPECT: race A B predicted
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
int x, config;

int main() {
  std::thread first([] {
    use(x);  // A
    std::shared_lock lock(m);
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::unique_lock lock(m);
      config = 1;
    }
    x = 1;  // B
  });
  first.join();
  second.join();
}
