// atomic<shared_ptr>: published, loaded and exchanged by several threads.
// PEER: reports its load releases the pointer's lock with a relaxed order in libstdc++ 12
// EXPECT: none
// OUTPUT: 1
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include "invisible.h"

static std::atomic<std::shared_ptr<int>> current;

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 50; ++i) current.store(std::make_shared<int>(i));
  });
  std::thread reader([] {
    for (int i = 0; i < 50; ++i) {
      if (auto p = current.load()) use(*p);
    }
  });
  writer.join();
  reader.join();
  std::printf("%d\n", *current.load() == 50);
}
