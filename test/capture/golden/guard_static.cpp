// A local static is constructed once, and everyone sees the whole of it.
// EXPECT: none
// OUTPUT: 1 10
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>
#include "invisible.h"

static int constructed;

struct Table {
  Table() : values(4) {
    std::iota(values.begin(), values.end(), 1);
    ++constructed;
  }
  int sum() const { return std::accumulate(values.begin(), values.end(), 0); }
  std::vector<int> values;
};

static Table& table() {
  static Table instance;
  return instance;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { use(table().sum()); });
  for (auto& t : threads) t.join();
  std::printf("%d %d\n", constructed, table().sum());
}
