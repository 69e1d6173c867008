// Function-local statics that need other statics, first used by several threads at once.
// EXPECT: none
// OUTPUT: 3 made, 600
#include <atomic>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> made{0};
struct Table {
  std::map<std::string, int> values;
  Table() {
    values["x"] = 1;
    ++made;
  }
};
static const Table& inner() {
  static const Table table;
  return table;
}
static const std::string& key() {
  static const std::string text = (++made, std::string("x"));
  return text;
}
static int outer() {
  static const int value = (++made, inner().values.at(key()));
  return value;
}
int main() {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&sum] {
      for (int i = 0; i < 100; ++i) sum += outer() + inner().values.at(key());
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d made, %d\n", made.load(), sum.load());
}
