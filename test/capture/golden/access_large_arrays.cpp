// Two threads work on halves of a large array that overlap in one element.
// EXPECT: race A B
#include <thread>
#include <vector>
#include "invisible.h"

int main() {
  std::vector<long> values(200001);
  long* const p = values.data();
  std::thread t([p] {
    for (int i = 0; i <= 100000; ++i) p[i] = i;  // A
    reach(1);
  });
  await(1);
  for (int i = 200000; i >= 100000; --i) p[i] = i;  // B
  t.join();
}
