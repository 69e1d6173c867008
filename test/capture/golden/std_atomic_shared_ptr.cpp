// atomic<shared_ptr>: published, loaded and exchanged by several threads.
// PEER: reports its load releases the pointer's lock with a relaxed order in libstdc++ 12
// EXPECT: none
// ALLOW: race A B the same: if the writer comes between two loads, nothing orders the first of them before it
// OUTPUT: 1
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include "invisible.h"

static std::atomic<std::shared_ptr<int>> current;

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 50; ++i) current.store(std::make_shared<int>(i));  // A
  });
  std::thread reader([] {
    for (int i = 0; i < 50; ++i) {
      if (auto p = current.load()) use(*p);  // B
    }
  });
  writer.join();
  reader.join();
  std::printf("%d\n", *current.load() == 50);
}
