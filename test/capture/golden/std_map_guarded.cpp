// A map with strings, under a mutex: nodes come from one thread and are freed by another.
// EXPECT: none
// OUTPUT: 50
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex m;
static std::map<std::string, std::string> table;

int main() {
  std::thread a([] {
    for (int i = 0; i < 100; ++i) {
      std::lock_guard lock(m);
      table["a key that is long enough for the heap " + std::to_string(i)] = std::string(40, 'x');
    }
  });
  std::thread b([] {
    for (int erased = 0; erased < 50;) {
      std::lock_guard lock(m);
      if (table.empty()) continue;
      table.erase(table.begin());
      ++erased;
    }
  });
  a.join();
  b.join();
  std::printf("%zu\n", table.size());
}
