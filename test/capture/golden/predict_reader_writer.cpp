// A writer's section before a reader's section.
// EXPECT: race A B predicted
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
int x, config;

int main() {
  std::thread first([] {
    x = 1;  // A
    std::unique_lock lock(m);
    config = 1;
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::shared_lock lock(m);
    }
    use(x);  // B
  });
  first.join();
  second.join();
}
