// A reader's section reads what the writer's section then overwrites.
// EXPECT: none
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
int value;

int main() {
  std::thread reader([] {
    std::shared_lock lock(m);
    use(value);
    reach(1);
  });
  std::thread writer([] {
    await(1);
    std::unique_lock lock(m);
    value = 2;
  });
  reader.join();
  writer.join();
}
