// std::copy, std::fill and std::string go through memmove and memset: the line is the program's.
// EXPECT: race A B
#include <algorithm>
#include <thread>
#include <vector>
#include "invisible.h"

int main() {
  std::vector<int> values(1000);
  std::thread t([&] {
    std::fill(values.begin() + 100, values.end(), 1);  // A
    reach(1);
  });
  await(1);
  values[999] = 2;  // B
  t.join();
}
