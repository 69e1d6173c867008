// An object goes from thread to thread through a locked queue: its owner changes, its memory is never locked.
// EXPECT: none
// OUTPUT: 20
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#include "invisible.h"

static std::mutex m;
static std::vector<long*> queue;

int main() {
  std::thread producer([] {
    for (int i = 0; i < 10; ++i) {
      auto* item = new long(1);
      ++*item;
      std::lock_guard lock(m);
      queue.push_back(item);
    }
  });
  long sum = 0;
  for (int taken = 0; taken < 10;) {
    long* item = nullptr;
    {
      std::lock_guard lock(m);
      if (!queue.empty()) {
        item = queue.back();
        queue.pop_back();
      }
    }
    if (item == nullptr) continue;
    sum += *item;
    delete item;
    ++taken;
  }
  producer.join();
  std::printf("%ld\n", sum);
}
