// Threads drop their references; the last one destroys the object that all have used. Also weak_ptr::lock.
// EXPECT: none
// OUTPUT: destroyed
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>
#include "invisible.h"

struct Shared {
  ~Shared() {
    if (values[0] + values[1] + values[2] == 3) std::puts("destroyed");
  }
  int values[3] = {};
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::weak_ptr<Shared> weak = shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i, mine = shared, weak]() mutable {
      if (auto again = weak.lock()) again->values[i] = 1;
      mine.reset();
    });
  }
  shared.reset();
  for (auto& t : threads) t.join();
}
