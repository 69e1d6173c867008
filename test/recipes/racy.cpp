/// \file
/// A test with a race.
#include <thread>

int last;

int main() {
  std::thread a([] { last = 1; });
  std::thread b([] { last = 2; });
  a.join();
  b.join();
  return 0;
}
