// A function of the C++ library writes the links of a list that another thread reads.
// EXPECT: race A B
// PEER: misses what the library's code accesses
#include <list>
#include <thread>
#include "invisible.h"

std::list<int> values;

int main() {
  values.push_back(1);
  std::thread t([] {
    await(1);
    use(values.begin() == values.end());  // A
  });
  values.reverse();  // B
  reach(1);
  t.join();
}
