// atomic<shared_ptr>: published, loaded by several threads, exchanged when they are done. A load beside a store is not
// here: in libstdc++ 12 it gives the pointer's lock back with a relaxed order, which is a race. EXPECT: none OUTPUT: 1
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include "invisible.h"

static std::atomic<std::shared_ptr<int>> current;

static void load_often() {
  for (int i = 0; i < 50; ++i) {
    if (auto p = current.load()) use(*p);
  }
}

int main() {
  std::thread publisher([] { current.store(std::make_shared<int>(1)); });
  publisher.join();
  std::thread first(load_often);
  std::thread second(load_often);
  first.join();
  second.join();
  std::thread exchanger([] {
    for (int i = 2; i <= 50; ++i) use(*current.exchange(std::make_shared<int>(i)));
  });
  exchanger.join();
  std::printf("%d\n", *current.load() == 50);
}
