// A vector grows while another thread reads its size.
// EXPECT: race A B
// ALLOW: race A A the vector's own members
#include <thread>
#include <vector>
#include "invisible.h"

std::vector<int> values;

int main() {
  values.reserve(8);
  std::thread t([] {
    values.push_back(1);  // A
    reach(1);
  });
  await(1);
  use(static_cast<long>(values.size()));  // B
  t.join();
}
